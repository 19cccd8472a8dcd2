/** What a new agent makes of the sessions that it finds. */
import { deflateRawSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { encodeMetadata } from '../../../vm-agent/disk/metadata.ts';
import { adoptionOf, adoptionsOf } from '../../../vm-agent/kept/adoption.ts';
import { encodeCheckpoint } from '../../../vm-agent/kept/checkpoint.ts';
import type { FoundSession } from '../../../vm-agent/kept/keeper-link.ts';
import { someMetadata } from '../disk/some-session.ts';

const size = { cols: 80, rows: 24 };
const wide = { cols: 120, rows: 40 };

function found(blobs: Record<string, Buffer> = {}): FoundSession {
  return {
    ...{ handle: 7, id: 'id', pid: 1, bornAt: undefined, start: 100, end: 500, backlogBytes: 0, ledger: [] },
    spec: { command: 'sh', args: [], cwd: '/', env: {}, size },
    blobs: new Map(Object.entries({ metadata: encodeMetadata(someMetadata()), ...blobs })),
  };
}

const checkpointAt = (offset: number) =>
  encodeCheckpoint({ offset, size: wide, deflated: deflateRawSync('a screen\n') });

describe('a session that is found', () => {
  it.each([
    ['at the start of what is kept', 100],
    ['later', 300],
    ['at the end', 500],
  ])('[K2] goes on from its last checkpoint, and answers no query a second time: %s', (_, offset) => {
    const { screen, metadata } = adoptionOf(found({ checkpoint: checkpointAt(offset) })) ?? {};
    expect(screen).toMatchObject({ offset, size: wide, silentUntil: 500 });
    expect(Buffer.from(screen?.drawing ?? []).toString()).toBe('a screen\n');
    expect(metadata).toEqual(someMetadata());
  });

  it.each([
    ['there is no checkpoint', {}],
    ['output since the checkpoint is gone', { checkpoint: checkpointAt(99) }],
  ])('[K2] goes on from the oldest output if %s', (_, blobs: Record<string, Buffer>) => {
    const { screen } = adoptionOf(found(blobs)) ?? {};
    expect(screen).toEqual({ offset: 100, size, drawing: new Uint8Array(0), silentUntil: 500 });
  });

  it('[K2] has its commands, if they were left', () => {
    const commands = { to: 7, log: {} };
    expect(adoptionOf(found({ commands: Buffer.from(JSON.stringify(commands)) }))?.commands).toEqual(
      commands,
    );
    expect(adoptionOf(found())?.commands).toBeUndefined();
  });

  it.each([
    ['no JSON', '{"runs":['],
    ['another value', '7'],
    ['runs that are none', '{"runs":[{"act":1}],"typing":null,"dropped":[]}'],
  ])('[A1] [K2] goes on without its runs if they cannot be read: %s', (_, text) => {
    expect(adoptionOf(found({ runs: Buffer.from(text) }))).toMatchObject({ assist: undefined });
  });

  it('[A1] [K2] has its runs, if they were left', () => {
    const saved = { runs: [], typing: { act: 'a', text: 'ls' }, dropped: [] };
    expect(adoptionOf(found({ runs: Buffer.from(JSON.stringify(saved)) }))?.assist).toEqual(saved);
  });

  it('[F26] is ended if the agent that started it had told nobody', () => {
    const known = found();
    const unknown = { ...found(), id: 'unknown', blobs: new Map() };
    const broken = found({ metadata: Buffer.from('{}\n') });
    const discarded: FoundSession[] = [];
    const adoptions = adoptionsOf(
      { discard: (session) => void discarded.push(session) },
      { epoch: 'epoch', trouble: null, capabilities: [], sessions: [unknown, known, broken] },
    );
    expect(adoptions.map((adoption) => adoption.found)).toEqual([known]);
    expect(discarded).toEqual([unknown, broken]);
  });
});
