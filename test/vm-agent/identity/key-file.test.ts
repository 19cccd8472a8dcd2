import { fork } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  decodeKeyFile,
  encodeKeyFile,
  openKeyFile,
  readKeyFile,
} from '../../../vm-agent/identity/key-file.ts';
import { RelayIdentity } from '../../../vm-agent/identity/relay-identity.ts';

let dir: string;
let path: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'holdfast-key-'));
  path = join(dir, 'agent-key');
});
afterEach(() => rmSync(dir, { recursive: true }));

const write = (text: string, mode = 0o600) => writeFileSync(path, text, { mode });
const SECRET = new Uint8Array(32).fill(7);
const opener = fileURLToPath(new URL('../../support/open-key-file.ts', import.meta.url));

function fingerprintIn(reading: ReturnType<typeof readKeyFile>): string {
  if (reading.kind !== 'key') throw new Error(JSON.stringify(reading));
  return reading.key.fingerprint;
}

describe('the key file', () => {
  it('[AK8] is created once, for its owner only, and read from then on', () => {
    const made = fingerprintIn(openKeyFile(path));
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(fingerprintIn(openKeyFile(path))).toBe(made);
    expect(readdirSync(dir), 'nothing is left beside it').toEqual(['agent-key']);
  });

  it('[AK8] is readable by its owner only, whatever the umask', () => {
    const before = process.umask(0);
    try {
      openKeyFile(path);
    } finally {
      process.umask(before);
    }
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it('[AK8] is not created by a program that only reads it', () => {
    expect(readKeyFile(path)).toEqual({ kind: 'missing' });
    expect(existsSync(path)).toBe(false);
  });

  it('[AK8] holds one key for agents that start at the same time', async () => {
    const children = Array.from({ length: 4 }, () => fork(opener, [path]));
    // All have started before any of them reads.
    await Promise.all(children.map((child) => once(child, 'message')));
    const answers = children.map((child) => once(child, 'message'));
    for (const child of children) child.send('go');
    const fingerprints = (await Promise.all(answers)).map(([fingerprint]) => fingerprint as string);
    expect(new Set(fingerprints).size).toBe(1);
    expect(fingerprints[0]).toBe(fingerprintIn(readKeyFile(path)));
  });

  it('[AK8] of a faster agent is used and not changed', () => {
    const rival = encodeKeyFile(SECRET);
    // Appears between the check and the link.
    const opened = openKeyFile(path, () => writeFileSync(path, rival, { mode: 0o600 }));
    expect(readFileSync(path, 'utf8')).toBe(rival);
    expect(fingerprintIn(opened)).toBe(fingerprintIn(readKeyFile(path)));
  });

  it('[AK8] does not exist after a crash while it was created, and the next start creates one', () => {
    const crash = () => {
      throw Object.assign(new Error('power cut'), { code: 'ECRASH' });
    };
    expect(openKeyFile(path, crash)).toMatchObject({ kind: 'unusable' });
    expect(existsSync(path)).toBe(false);
    expect(openKeyFile(path).kind).toBe('key');
  });

  it.each([
    ['empty', ''],
    ['cut short', encodeKeyFile(SECRET).slice(0, 40)],
    ['with data after the key', `${encodeKeyFile(SECRET)}x`],
    ['of a later version', encodeKeyFile(SECRET).replace('v1', 'v2')],
    ['much too long', encodeKeyFile(SECRET).padEnd(5000)],
    ['something else', '-----BEGIN PRIVATE KEY-----\n'],
  ])('[AK8] that is damaged (%s) is reported and not changed', (_, text) => {
    write(text);
    expect(openKeyFile(path)).toMatchObject({ kind: 'unusable', why: expect.stringContaining('is damaged') });
    expect(readFileSync(path, 'utf8')).toBe(text);
  });

  it.each([0o640, 0o604, 0o660, 0o644])('[AK8] that others can read (%o) is not used', (mode) => {
    write(encodeKeyFile(SECRET));
    chmodSync(path, mode);
    expect(openKeyFile(path)).toMatchObject({ kind: 'unusable', why: expect.stringContaining('chmod 600') });
    expect(statSync(path).mode & 0o777, 'nor mended: who has read it has it').toBe(mode);
  });

  it('[AK8] of another user is not used', () => {
    write(encodeKeyFile(SECRET));
    const stranger = statSync(path).uid + 1;
    expect(readKeyFile(path, stranger)).toMatchObject({
      kind: 'unusable',
      why: expect.stringContaining('belongs to another user'),
    });
  });

  it.each([
    ['to a key', (target: string) => writeFileSync(target, encodeKeyFile(SECRET), { mode: 0o600 })],
    ['to nothing', () => {}],
  ])('[AK8] that is a symbolic link %s is neither followed nor written through', (_, prepare) => {
    const target = join(dir, 'elsewhere');
    prepare(target);
    const before = existsSync(target);
    symlinkSync(target, path);
    expect(openKeyFile(path)).toMatchObject({
      kind: 'unusable',
      why: expect.stringContaining('symbolic link'),
    });
    expect(existsSync(target)).toBe(before);
  });

  it('[AK8] that is a directory is not used', () => {
    mkdirSync(path, { mode: 0o700 });
    expect(openKeyFile(path).kind).toBe('unusable');
  });

  it('[AK8] survives a crash between linking it and removing its temporary name', () => {
    write(encodeKeyFile(SECRET));
    linkSync(path, `${path}.0123.tmp`);
    expect(openKeyFile(path).kind).toBe('key');
  });

  it('[AK8] that cannot be created is reported in one sentence with what to do', () => {
    expect(openKeyFile(join(dir, 'missing', 'agent-key'))).toMatchObject({
      kind: 'unusable',
      why: expect.stringMatching(/cannot be created \(ENOENT\).*HOLDFAST_KEY_FILE/),
    });
  });

  it('[AK8] reads back what it writes, and nothing else', () => {
    expect(decodeKeyFile(encodeKeyFile(SECRET))).toEqual(SECRET);
    expect(decodeKeyFile('holdfast-agent-key-v1')).toBeNull();
  });
});

describe('the identity of an agent', () => {
  it('[AK8] offers no key while the file cannot be used, says so once, and needs no restart when it is fixed', () => {
    write('damaged');
    const told: string[] = [];
    const identity = new RelayIdentity(path, 'w', (why) => told.push(why));
    expect([identity.offer(), identity.offer()]).toEqual([{}, {}]);
    expect(told).toHaveLength(1);
    rmSync(path);
    expect(identity.offer()).toEqual({ 'Holdfast-Agent-Key': expect.stringMatching(/^[\w-]{43}$/) });
    expect(told).toHaveLength(1);
  });

  it('[AK8] keeps its key if the file is removed', () => {
    const identity = new RelayIdentity(path, 'w', () => {});
    const offered = identity.offer();
    rmSync(path);
    expect(identity.offer()).toEqual(offered);
  });
});
