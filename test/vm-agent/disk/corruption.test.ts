import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { deflateRawSync } from 'node:zlib';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SNAPSHOT_INFLATED_MAX_BYTES } from '../../../protocol/limits.ts';
import { QUARANTINE_MAX_BYTES, QUARANTINE_MAX_FILES } from '../../../vm-agent/disk/quarantine.ts';
import { decodeSnapshot, encodeSnapshot } from '../../../vm-agent/disk/snapshot-file.ts';
import { FLUSH_MS } from '../../../vm-agent/disk/state-store.ts';
import { checkProperty } from '../../support/property.ts';
import { journalFile } from './journal-bytes.ts';
import { bytesUnder, crashCopy, OpenStore, screenOf, temporaryDirectory } from './some-session.ts';

let dir: ReturnType<typeof temporaryDirectory>;
/** As a crash left it: session s1 with a snapshot and a journal, session s2 with a journal. */
let crashed: string;
beforeEach(async () => {
  dir = temporaryDirectory();
  const agent = await OpenStore.at(join(dir.path, 'first'));
  const [s1, s2] = [agent.session('s1'), agent.session('s2')];
  s2.prints('the other');
  s1.prints('drawn ');
  await agent.passes(FLUSH_MS);
  await s1.draws();
  for (const word of ['one ', 'two ', 'three ']) {
    s1.prints(word);
    await agent.passes(FLUSH_MS);
  }
  crashed = crashCopy(agent.dir, dir.path);
  await agent.store.close();
});
afterEach(() => dir.remove());

const file = (name: string) => join(crashed, 'sessions/s1', name);

async function recover(): Promise<OpenStore> {
  const next = await OpenStore.at(crashed);
  await next.store.close();
  return next;
}

const kept = () => readdirSync(join(crashed, 'corrupt'));

describe('after a crash', () => {
  it('[R9] a torn record loses its content only, and the next life continues before it', async () => {
    truncateSync(file('journal-1'), readFileSync(file('journal-1')).length - 3);
    const next = await OpenStore.at(crashed);
    expect(screenOf(next.found('s1'))).toBe('drawn one two ');
    expect(next.found('s1').lostBytes).toBeGreaterThan(0);
    expect(next.warnings).toEqual([
      {
        code: 'set_aside',
        message:
          's1/journal-1 cannot be used: an incomplete record at byte 46. See corrupt/s1.journal-1.corrupt-1.',
      },
    ]);
    next.revive('s1').prints('four');
    await next.passes(FLUSH_MS);
    await next.store.close();

    const last = await recover();
    expect(screenOf(last.found('s1'))).toBe('drawn one two four');
    expect(last.warnings).toEqual([]);
  });

  it('[R9] zeros at the end of a journal, as after a power cut, are recognised', async () => {
    appendFileSync(file('journal-1'), Buffer.alloc(4096));
    const next = await recover();
    expect(screenOf(next.found('s1'))).toBe('drawn one two three ');
    expect(next.codes).toEqual(['set_aside']);
  });

  it('[R9] after a broken snapshot the journal that follows it is still used', async () => {
    truncateSync(file('snapshot'), 20);
    const next = await recover();
    expect(next.found('s1')).toMatchObject({ snapshot: null, lostBytes: 6 });
    expect(screenOf(next.found('s1'))).toBe('one two three ');
    expect(next.warnings).toMatchObject([
      { message: expect.stringContaining('s1/snapshot cannot be used: it is incomplete') },
    ]);
    expect(kept()).toEqual(['s1.snapshot.corrupt-1']);
  });

  it.each([
    ['nothing', new Uint8Array(0)],
    ['data that is not deflate', Buffer.from('drawn ')],
    ['too much', deflateRawSync(Buffer.alloc(SNAPSHOT_INFLATED_MAX_BYTES + 1))],
  ])('[R9] after a whole snapshot of %s the journal that follows it is still used', async (_, data) => {
    const old = decodeSnapshot(readFileSync(file('snapshot')));
    if (typeof old === 'string') throw new Error(old);
    writeFileSync(file('snapshot'), encodeSnapshot({ ...old, data }));
    const next = await recover();
    expect(next.found('s1')).toMatchObject({ snapshot: null, lostBytes: 6 });
    expect(screenOf(next.found('s1'))).toBe('one two three ');
    expect(next.warnings).toMatchObject([
      { message: expect.stringContaining('s1/snapshot cannot be used: its screen cannot be inflated') },
    ]);
    expect(kept()).toEqual(['s1.snapshot.corrupt-1']);
  });

  it('[R9] after a journal of another version the earlier snapshot is still used', async () => {
    const bytes = readFileSync(file('journal-1'));
    bytes[3] = 9;
    writeFileSync(file('journal-1'), bytes);
    expect(screenOf((await recover()).found('s1'))).toBe('drawn ');
    expect(kept()).toEqual(['s1.journal-1.corrupt-1']);
  });

  it('[R9] a missing journal ends the replay; later ones are quarantined and counted', async () => {
    const journal = (text: string, from: number) => journalFile([[{ print: Buffer.from(text) }]], from);
    writeFileSync(file('journal-3'), journal('behind the hole', 30));
    writeFileSync(file('journal-4'), journal('!', 45));
    const next = await recover();
    expect(next.found('s1')).toMatchObject({ end: 20, lostBytes: 26 });
    expect(screenOf(next.found('s1'))).toBe('drawn one two three ');
    expect(kept()).toEqual(['s1.journal-3.corrupt-1', 's1.journal-4.corrupt-2']);
    expect((await recover()).found('s1').lostBytes).toBe(0);
  });

  it('[R9] a journal that a snapshot replaced, but that was not deleted, is not shown again', async () => {
    writeFileSync(file('journal-0'), journalFile([[{ print: Buffer.from('of another numbering') }]]));
    const next = await recover();
    expect(screenOf(next.found('s1'))).toBe('drawn one two three ');
    expect(next.warnings).toEqual([]);
    expect(existsSync(file('journal-0'))).toBe(false);
  });

  it('[R9] a session without metadata is not restored; its files are quarantined', async () => {
    writeFileSync(file('metadata.json'), '{"version":1,"comm');
    const next = await recover();
    expect(next.recovered.map(({ id }) => id)).toEqual(['s2']);
    expect(kept().sort()).toEqual([
      's1.journal-1.corrupt-2',
      's1.metadata.json.corrupt-1',
      's1.snapshot.corrupt-3',
    ]);
    expect(existsSync(join(crashed, 'sessions/s1'))).toBe(false);
  });

  it('[R9] an empty directory or an empty journal causes no warning', async () => {
    mkdirSync(join(crashed, 'sessions/s3'));
    writeFileSync(file('journal-9'), '');
    const next = await recover();
    expect(next.recovered.map(({ id }) => id)).toEqual(['s1', 's2']);
    expect(next.warnings).toEqual([]);
  });

  it('[R9] foreign files are left unchanged', async () => {
    writeFileSync(join(crashed, 'sessions/notes.txt'), 'mine');
    const next = await recover();
    expect(next.warnings).toEqual([]);
    expect(readFileSync(join(crashed, 'sessions/notes.txt'), 'utf8')).toBe('mine');
  });

  it('[R9] a session that cannot be read is reported, and the others are restored', async () => {
    rmSync(join(crashed, 'sessions/s1'), { recursive: true });
    writeFileSync(join(crashed, 'sessions/s1'), 'a file in the place of a directory');
    const next = await recover();
    expect(next.recovered.map(({ id }) => id)).toEqual(['s2']);
    expect(next.codes).toEqual(['unreadable']);
  });

  it('[R9] any damage to any file costs at most that session, and never shows what was not printed', async () => {
    const pristine = crashed;
    const damage = fc.record({
      name: fc.constantFrom('metadata.json', 'snapshot', 'journal-1'),
      at: fc.nat(),
      how: fc.constantFrom('cut', 'flip', 'zero', 'grow'),
    });
    await checkProperty(
      'state-corruption',
      fc.asyncProperty(damage, async ({ name, at, how }) => {
        crashed = crashCopy(pristine, dir.path);
        const bytes = readFileSync(file(name));
        const place = at % bytes.length;
        if (how === 'cut') writeFileSync(file(name), bytes.subarray(0, place));
        else if (how === 'grow') appendFileSync(file(name), Buffer.alloc(1 + (at % 50), at));
        else {
          bytes[place] = how === 'zero' ? 0 : (bytes[place] ?? 0) ^ (1 << (at % 8));
          writeFileSync(file(name), bytes);
        }
        const next = await recover();
        expect(screenOf(next.found('s2'))).toBe('the other');
        const s1 = next.recovered.find(({ id }) => id === 's1');
        if (s1 !== undefined) {
          expect(s1.metadata).toEqual(next.found('s2').metadata);
          const whole = 'drawn one two three ';
          const from = s1.snapshot === null && s1.replay.length > 0 ? 'drawn '.length : 0;
          expect(whole.slice(from).startsWith(screenOf(s1))).toBe(true);
        }
        expect((await recover()).warnings).toEqual([]);
      }),
      { numRuns: 60 },
    );
  });
});

describe('the quarantine', () => {
  it('[R10] is limited in number', async () => {
    for (let crash = 0; crash < QUARANTINE_MAX_FILES + 5; crash++) {
      writeFileSync(file('snapshot'), `broken ${crash}`);
      await recover();
    }
    expect(kept().length).toBe(QUARANTINE_MAX_FILES);
    expect(kept()).toContain(`s1.snapshot.corrupt-${QUARANTINE_MAX_FILES + 5}`);
    expect(kept()).not.toContain('s1.snapshot.corrupt-5');
  });

  it('[R10] is limited in size', async () => {
    for (let crash = 0; crash < 4; crash++) {
      writeFileSync(file('snapshot'), Buffer.alloc(QUARANTINE_MAX_BYTES / 2));
      await recover();
    }
    expect(bytesUnder(join(crashed, 'corrupt'))).toBe(QUARANTINE_MAX_BYTES);
    writeFileSync(file('snapshot'), Buffer.alloc(2 * QUARANTINE_MAX_BYTES));
    await recover();
    expect(kept()).toEqual([]);
  });
});
