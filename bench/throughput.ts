/** How fast a program's output arrives at the other end of the socket, and what that costs. */
import type { LogFile } from './log-file.ts';
import { cpuMs } from './process-cost.ts';
import { type Contender, shell } from './terminal.ts';

export interface ThroughputSample {
  readonly mebibytesPerSecond: number;
  /** Milliseconds of processor per MiB: the thread that moves bytes, and all others. */
  readonly mainMsPerMebibyte: number;
  readonly otherMsPerMebibyte: number;
  readonly framesPerMebibyte: number;
}

const GO = Buffer.from('\n');

/** Prints the file once, in a fresh terminal of `contender`. */
export async function measureThroughput(contender: Contender, file: LogFile): Promise<ThroughputSample> {
  const terminal = await contender.open(
    shell(`stty -echo; printf ready; read go; cat '${file.path}'; read end`),
  );
  await terminal.printed('ready');
  const before = { ...cpuMs(contender.pid), frames: contender.frames, at: performance.now() };
  terminal.type(GO);
  await terminal.printedBytes(file.printedBytes);
  const seconds = (performance.now() - before.at) / 1000;
  const used = cpuMs(contender.pid);
  const mebibytes = file.printedBytes / 2 ** 20;
  terminal.type(GO);
  return {
    mebibytesPerSecond: mebibytes / seconds,
    mainMsPerMebibyte: (used.main - before.main) / mebibytes,
    otherMsPerMebibyte: (used.others - before.others) / mebibytes,
    framesPerMebibyte: (contender.frames - before.frames) / mebibytes,
  };
}
