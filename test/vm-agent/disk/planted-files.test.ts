/** Files in a state directory that this agent did not write, or cannot have written: nothing in them is used. */
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  renameSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  SIZE_MAX_CELLS,
  STORED_METADATA_MAX_BYTES,
  STORED_SNAPSHOT_MAX_BYTES,
} from '../../../protocol/limits.ts';
import { decodeMetadata, encodeMetadata, type SessionMetadata } from '../../../vm-agent/disk/metadata.ts';
import { readOwnFile, requireOwnDirectory } from '../../../vm-agent/disk/own-files.ts';
import { decodeJournal } from '../../../vm-agent/disk/record.ts';
import { decodeSnapshot, encodeSnapshot } from '../../../vm-agent/disk/snapshot-file.ts';
import { journalFile } from './journal-bytes.ts';
import { asData, OpenStore, someMetadata, temporaryDirectory } from './some-session.ts';

let dir: ReturnType<typeof temporaryDirectory>;
/** Two sessions, as an agent left them. */
let state: string;
beforeEach(async () => {
  dir = temporaryDirectory();
  state = join(dir.path, 'state');
  const agent = await OpenStore.at(state);
  for (const id of ['s1', 's2']) agent.session(id).prints('x');
  await agent.store.close();
});
afterEach(() => dir.remove());

const at = (name: string) => join(state, 'sessions', name);
const elsewhere = () => join(dir.path, 'elsewhere');

const PLANTED: Readonly<Record<string, () => void>> = {
  'a session that is a link to another directory': () => {
    renameSync(at('s1'), elsewhere());
    symlinkSync(elsewhere(), at('s1'));
  },
  'a session in a directory that others may write to': () => chmodSync(at('s1'), 0o777),
  'metadata that others may write to': () => chmodSync(at('s1/metadata.json'), 0o666),
  'metadata that is a link': () => {
    renameSync(at('s1/metadata.json'), elsewhere());
    symlinkSync(elsewhere(), at('s1/metadata.json'));
  },
  'metadata that is a pipe, which nobody writes to': () => {
    renameSync(at('s1/metadata.json'), elsewhere());
    execFileSync('mkfifo', ['-m', '600', at('s1/metadata.json')]);
  },
  'metadata that is a device without an end': () => {
    renameSync(at('s1/metadata.json'), elsewhere());
    symlinkSync('/dev/zero', at('s1/metadata.json'));
  },
  'metadata that is too long': () => truncateSync(at('s1/metadata.json'), STORED_METADATA_MAX_BYTES + 1),
  'a snapshot that is too long': () => {
    writeFileSync(at('s1/snapshot'), '', { mode: 0o600 });
    truncateSync(at('s1/snapshot'), STORED_SNAPSHOT_MAX_BYTES + 1);
  },
};

describe('a state directory', () => {
  it.each(Object.entries(PLANTED))('[SEC12] [X13] restores nothing from %s', async (_, plant) => {
    plant();
    const next = await OpenStore.at(state);
    expect(next.recovered.map(({ id }) => id)).toEqual(['s2']);
    expect(next.codes).toEqual(['unreadable']);
    await next.store.close();
  });

  it('[SEC12] removes nothing through a link', async () => {
    mkdirSync(elsewhere());
    writeFileSync(join(elsewhere(), 'precious.tmp'), '');
    symlinkSync(elsewhere(), at('s3'));
    await (await OpenStore.at(state)).store.close();
    expect(existsSync(join(elsewhere(), 'precious.tmp'))).toBe(true);
  });

  it('[SEC12] opens although its quarantine has a link that leads nowhere', async () => {
    symlinkSync(join(dir.path, 'nowhere'), join(state, 'corrupt', 'x.corrupt-1'));
    const next = await OpenStore.at(state);
    expect(next.recovered).toHaveLength(2);
    await next.store.close();
  });

  it('[SEC12] takes no file and no directory of another user', async () => {
    const uid = process.getuid?.() ?? 0;
    const getuid = vi.spyOn(process, 'getuid').mockReturnValue(uid + 1);
    await expect(readOwnFile(at('s1/metadata.json'))).rejects.toThrow(`belongs to another user (${uid})`);
    await expect(requireOwnDirectory(at('s1'))).rejects.toThrow(`belongs to another user (${uid})`);
    getuid.mockRestore();
  });
});

describe('metadata with a correct checksum', () => {
  const wrong: Readonly<Record<string, object>> = {
    command: { command: '' },
    'args.0': { args: [1] },
    cwd: { cwd: 7 },
    'env.HOME': { env: { HOME: null } },
    key: { key: [] },
    'size.cols': { size: { cols: 0, rows: 24 } },
    'size.rows': { size: { cols: 80, rows: SIZE_MAX_CELLS + 1 } },
    marksNonce: { marksNonce: '\x1b]0;x\x07' },
    createdAt: { createdAt: 'yesterday' },
    'commands.list': { commands: { list: 'x', nextNumber: 1 } },
    'commands.nextNumber': { commands: { list: [], nextNumber: -1 } },
  };

  it.each(Object.entries(wrong))('[R9] is not used if its %s cannot be', (field, changes) => {
    const file = encodeMetadata({ ...someMetadata(), ...changes } as unknown as SessionMetadata);
    expect(decodeMetadata(file)).toBe(`its field ${field} is not as an agent writes it`);
  });

  it('[R9] is not used if it is no object', () => {
    expect(decodeMetadata(Buffer.from('null\ncrc32 25cbfc4f\n'))).toBe(
      'it has version undefined, and this agent knows 1',
    );
  });
});

describe.each([
  { cols: 0, rows: 24 },
  { cols: 80, rows: SIZE_MAX_CELLS + 1 },
])('a terminal of $cols × $rows', (size) => {
  it('[R9] is not restored from a journal', () => {
    const { records, flaw } = decodeJournal(journalFile([[size]]));
    expect({ records, flaw }).toEqual({ records: [], flaw: 'a resize to an impossible size at byte 4' });
  });

  it('[R9] is not restored from a snapshot', () => {
    const file = encodeSnapshot({ offset: 0, size, continues: 0, data: asData('x') });
    expect(decodeSnapshot(file)).toBe('its size or its offset is impossible');
  });
});
