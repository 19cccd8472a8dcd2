/** One JSON object per line on stderr. Values are ours: no terminal bytes, no tokens. */
export function log(event: string, details: Readonly<Record<string, unknown>> = {}): void {
  process.stderr.write(`${JSON.stringify({ time: new Date().toISOString(), event, ...details })}\n`);
}
