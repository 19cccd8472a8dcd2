/** How fast a program's output arrives, and its cost. */
import { type Program, shell } from '../contenders/terminal.ts';
import type { LogFile } from '../log-file.ts';
import type { Lane } from './lanes.ts';

export interface PrintSample {
  readonly mebibytesPerSecond: number;
  /** Bytes that were printed and did not arrive. */
  readonly lostBytes: number;
  /** Milliseconds of processor per MiB: the thread that moves bytes, others of its process, the relay. */
  readonly moverMsPerMebibyte: number;
  readonly othersMsPerMebibyte: number;
  readonly relayMsPerMebibyte: number;
  /** Into the object; null where there is none. */
  readonly messagesPerMebibyte: number | null;
}

const END = (round: number) => `end-${round}-mark`;
const ENDING_BYTES = END(0).length + 2;
const WITHIN_MS = 300_000;

/** Prints one of `files` on request, and then a marker. */
export function printer(files: readonly LogFile[]): Program {
  const cases = files.map(({ path }, n) => `${n}) cat '${path}';;`).join(' ');
  return shell(
    `stty -echo; printf ready; while read which round; do case $which in ${cases} esac; echo "end-$round-mark"; done`,
  );
}

export async function printFile(
  { contender, terminal }: Lane,
  file: LogFile,
  which: number,
  round: number,
): Promise<PrintSample> {
  // A burst follows a pause: our screens must have parsed earlier output.
  await contender.caughtUp?.();
  const before = { ...contender.cost(), messages: await contender.messages() };
  let bytes = 0;
  const end = terminal.printed(END(round), WITHIN_MS, (count) => {
    bytes += count;
  });
  const startedAt = performance.now();
  terminal.type(Buffer.from(`${which} ${round}\n`));
  await end;
  const seconds = (performance.now() - startedAt) / 1000;
  const after = { ...contender.cost(), messages: await contender.messages() };
  const mebibytes = file.printedBytes / 2 ** 20;
  return {
    mebibytesPerSecond: mebibytes / seconds,
    lostBytes: file.printedBytes + ENDING_BYTES + (String(round).length - 1) - bytes,
    moverMsPerMebibyte: (after.moverMs - before.moverMs) / mebibytes,
    othersMsPerMebibyte: (after.othersMs - before.othersMs) / mebibytes,
    relayMsPerMebibyte: (after.relayMs - before.relayMs) / mebibytes,
    messagesPerMebibyte:
      after.messages === null || before.messages === null
        ? null
        : (after.messages - before.messages) / mebibytes,
  };
}
