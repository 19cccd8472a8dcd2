/**
 * Runs in a session. Prints checked lines by itself (`--every <ms>`) and when it is typed at: each line typed is
 * answered by how much was typed in all and its digest; `burst <n>` prints n lines first.
 */
import { parseArgs } from 'node:util';
import { printLine, TypedDigest } from './checked-line.ts';

const CARRIAGE_RETURN = 13;

const { values } = parseArgs({ options: { every: { type: 'string', default: '0' } } });
const typed = new TypedDigest();
let number = 0;
let line = '';

function print(kind: string, what: string): void {
  process.stdout.write(printLine({ number: number++, kind, what }));
}

function heard(byte: number): void {
  typed.add(Uint8Array.of(byte));
  if (byte !== CARRIAGE_RETURN) {
    line += String.fromCharCode(byte);
    return;
  }
  const burst = Number(/^burst (\d+)$/.exec(line)?.[1] ?? 0);
  for (let i = 0; i < burst; i++) print('tick', '-');
  print('heard', typed.what);
  line = '';
}

process.stdin.setRawMode(true);
process.stdin.on('data', (bytes: Buffer) => bytes.forEach(heard));
if (Number(values.every) > 0) setInterval(() => print('tick', '-'), Number(values.every));
print('ready', '-');
