/** Messages into the object per key, which the platform bills. */
import { setTimeout as pause } from 'node:timers/promises';
import { Holdfast } from '../contenders/holdfast.ts';
import { interactive, PROMPT } from '../contenders/terminal.ts';
import type { Effort } from '../effort.ts';
import type { Section } from '../report/section.ts';
import { typeKeys } from './echo.ts';

/** A fast typist's keys are this far apart; an acknowledgement waits for 50 ms of quiet. */
const TYPIST_MS = 120;
const SETTLE_MS = 200;

export async function typingCost({ echoKeys }: Effort): Promise<Section> {
  await using holdfast = await Holdfast.start();
  const terminal = await holdfast.open(interactive());
  await terminal.printed(PROMPT);
  await pause(SETTLE_MS);
  const keys = Math.min(60, echoKeys);
  const counted = async (type: () => Promise<unknown>) => {
    const before = await holdfast.messages();
    await type();
    await pause(SETTLE_MS);
    return ((await holdfast.messages()) - before) / keys;
  };
  const person = await counted(async () => {
    for (let key = 0; key < keys; key++) {
      await typeKeys(terminal, 1);
      await pause(TYPIST_MS);
    }
  });
  const burst = await counted(() => typeKeys(terminal, keys));
  return {
    title: 'Messages per key',
    how: 'Messages into the object per key typed at a prompt: the key, its acknowledgement, the echo, and its acknowledgement.',
    columns: ['', 'messages per key'],
    rows: [
      [`a person, ${TYPIST_MS} ms between keys`, person.toFixed(2)],
      ['faster than any person, 3 ms', burst.toFixed(2)],
    ],
    samples: { person, burst },
  };
}
