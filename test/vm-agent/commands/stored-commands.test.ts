/** What is stored of a session's commands. */
import { expect, it } from 'vitest';
import { COMMANDS_STORED_MAX_BYTES } from '../../../protocol/limits.ts';
import type { SessionCommand } from '../../../protocol/messages/command-info.ts';
import { storedList } from '../../../vm-agent/commands/stored-commands.ts';

const command = (number: number, commandLine: string): SessionCommand => ({
  number,
  commandLine,
  startedAt: '2026-11-17T10:00:00.000Z',
  durationMs: 5,
  exitCode: 0,
  outputFrom: 1,
  outputTo: 2,
  verified: true,
});

it('[T3] has the newest commands that fit, without the place of their output', () => {
  const bytesOf = (commands: unknown) => Buffer.byteLength(JSON.stringify(commands));
  const list = Array.from({ length: 100 }, (_, i) => command(i + 1, 'ä'.repeat(500)));
  const stored = storedList(list);
  expect(bytesOf(stored)).toBeLessThanOrEqual(COMMANDS_STORED_MAX_BYTES);
  expect(bytesOf([...stored, stored[0]]), 'not one more fits').toBeGreaterThan(COMMANDS_STORED_MAX_BYTES);
  expect(stored.at(-1)?.number).toBe(100);
  expect(stored[0]?.number).toBe(101 - stored.length);
  expect(stored[0]).not.toHaveProperty('outputFrom');
  expect(stored[0]).not.toHaveProperty('outputTo');
});
