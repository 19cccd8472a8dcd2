/** A file of coloured log to print, and how many bytes a terminal makes of it. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OUTPUTS, output } from './outputs.ts';

export interface LogFile extends AsyncDisposable {
  readonly path: string;
  /** Bytes that arrive: the terminal makes CR LF of every LF. */
  readonly printedBytes: number;
}

/** `mebibytes` of coloured log, as printed. */
export function writeLogFile(mebibytes: number): Promise<LogFile> {
  return writePrinted(output(OUTPUTS['coloured log'], mebibytes * 2 ** 20));
}

/** So many lines, each made of its number. */
export function writeLines(count: number, line: (n: number) => string): Promise<LogFile> {
  const lines = Array.from({ length: count }, (_, n) => line(n));
  return writePrinted(new TextEncoder().encode(lines.join('')));
}

/** Whatever it does to a terminal. */
export function writeText(text: string): Promise<LogFile> {
  return writePrinted(new TextEncoder().encode(text));
}

async function writePrinted(printed: Uint8Array): Promise<LogFile> {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-bench-'));
  const path = join(folder, 'log');
  await writeFile(path, Buffer.from(printed).toString('latin1').replaceAll('\r\n', '\n'), 'latin1');
  return {
    path,
    printedBytes: printed.length,
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true }),
  };
}
