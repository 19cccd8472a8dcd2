/**
 * Whether an Accept-Encoding header accepts gzip. It is parsed entry by entry: a regular expression over the whole
 * header takes quadratic time on a long run of blanks.
 */
export function acceptsGzip(header: string): boolean {
  return header.split(',').some((entry) => {
    const [coding = '', weight = 'q=1', ...more] = entry.split(';').map((part) => part.trim().toLowerCase());
    return coding === 'gzip' && more.length === 0 && weight.startsWith('q=') && Number(weight.slice(2)) > 0;
  });
}
