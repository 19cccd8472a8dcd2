/** How long one keystroke takes to the program and back. */
import { setTimeout as pause } from 'node:timers/promises';
import { type Contender, shell, type Terminal } from './terminal.ts';

/** A fast typist's keys are 50 ms apart; this is long enough for everything to have come to rest. */
const BETWEEN_KEYS_MS = 3;

/** How many are typed at one contender before it is the other's turn. */
const BURST_KEYS = 50;

const KEY = Buffer.from('k');

/** Milliseconds per keystroke for each contender, typed at in turn so that both have the same weather. */
export async function measureEcho(contenders: readonly Contender[], keys: number): Promise<number[][]> {
  const terminals: Terminal[] = [];
  for (const contender of contenders) {
    const terminal = await contender.open(shell('stty raw -echo; printf ready; exec cat'));
    await terminal.printed('ready');
    await burst(terminal); // the first keys of a fresh process are slow in all of them
    terminals.push(terminal);
  }
  const samples = terminals.map((): number[] => []);
  for (let typed = 0; typed < keys; typed += BURST_KEYS) {
    for (const [index, terminal] of terminals.entries()) samples[index]?.push(...(await burst(terminal)));
  }
  return samples;
}

async function burst(terminal: Terminal): Promise<number[]> {
  const samples: number[] = [];
  for (let key = 0; key < BURST_KEYS; key++) {
    await pause(BETWEEN_KEYS_MS);
    const typedAt = performance.now();
    const echo = terminal.printedBytes(KEY.length);
    terminal.type(KEY);
    await echo;
    samples.push(performance.now() - typedAt);
  }
  return samples;
}
