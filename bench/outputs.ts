/** Kinds of program output that cost a terminal differently. */

export const OUTPUTS = {
  'coloured log': (n: number) =>
    `\x1b[32m${n}\x1b[0m \x1b[1;34mINFO\x1b[0m the quick brown fox jumps over the lazy dog \x1b[38;5;${n % 256}mtail\x1b[0m\r\n`,
  'plain text': (n: number) => `${n} ${'the quick brown fox jumps over the lazy dog '.repeat(2)}\r\n`,
  'wide text': (n: number) => `${n} 日本語のテキスト、한국어 텍스트 e\u0301 — 👍\r\n`,
  'full-screen redraws': (n: number) =>
    `\x1b[H\x1b[2J${`\x1b[${(n % 40) + 1};5H\x1b[7mrow ${n}\x1b[0m`.repeat(20)}`,
};

const encoder = new TextEncoder();

/** At least this many bytes of it. */
export function output(make: (n: number) => string, bytes: number): Uint8Array {
  const lines: string[] = [];
  for (let n = 0, length = 0; length < bytes; n++) {
    const line = make(n);
    lines.push(line);
    length += line.length;
  }
  return encoder.encode(lines.join(''));
}
