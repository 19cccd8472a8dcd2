/** Which change of a session's description is written to storage. */
import { describe, expect, it } from 'vitest';
import type { SessionInfo } from '../../../protocol/messages/session-info.ts';
import { ACTIVITY_WRITTEN_EVERY_MS, isWorthNoRow } from '../../../worker/registry/session-row.ts';
import { sessionInfo } from '../../support/scripted-session.ts';

const written = sessionInfo('s');
const after = (ms: number) => new Date(Date.parse(written.lastActivityAt) + ms).toISOString();

/** Every field that an agent reports, with another value; a new field must be added here. */
const CHANGES: Readonly<
  Record<Exclude<keyof SessionInfo, 'typedBy' | 'typedAt' | 'people'>, Partial<SessionInfo>>
> = {
  id: { id: 't' },
  key: { key: 'k' },
  name: { name: 'another' },
  status: { status: 'exited' },
  attached: { attached: 1 },
  orphanedSince: { orphanedSince: after(1) },
  exitCode: { exitCode: 1 },
  signal: { signal: 'SIGHUP' },
  endedBy: { endedBy: 'idle' },
  cols: { cols: 81 },
  rows: { rows: 25 },
  cwd: { cwd: '/tmp' },
  title: { title: 'a title' },
  foreground: { foreground: 'vim' },
  progress: { progress: { state: 'running', percent: 5 } },
  keyboard: { keyboard: { kind: 'assistant', name: 'Codex', since: after(1) } },
  attention: { attention: { state: 'done', text: '', at: after(1), offset: 1 } },
  createdAt: { createdAt: after(1) },
  lastActivityAt: { lastActivityAt: after(1_000) },
  graceMs: { graceMs: 1 },
  bufferBytes: { bufferBytes: 1 },
  epoch: { epoch: 'another' },
};
const OFTEN = ['lastActivityAt', 'bufferBytes'];

describe('the description of a session', () => {
  it('[X14] that is unchanged is not written again', () => {
    expect(isWorthNoRow(written, { ...written })).toBe(true);
    const reordered = Object.fromEntries(Object.entries(written).reverse()) as unknown as SessionInfo;
    expect(isWorthNoRow(written, reordered)).toBe(true);
  });

  it.each(Object.keys(CHANGES) as (keyof typeof CHANGES)[])(
    '[X14] with another %s is written if that is important',
    (field) => {
      expect(isWorthNoRow(written, { ...written, ...CHANGES[field] })).toBe(OFTEN.includes(field));
    },
  );

  it('[X14] of a session with constant activity is written once a minute', () => {
    const at = (ms: number) => isWorthNoRow(written, { ...written, lastActivityAt: after(ms) });
    expect([at(ACTIVITY_WRITTEN_EVERY_MS - 1), at(ACTIVITY_WRITTEN_EVERY_MS)]).toEqual([true, false]);
    expect(at(-ACTIVITY_WRITTEN_EVERY_MS), 'a clock that was set back').toBe(false);
  });
});
