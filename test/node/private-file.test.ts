import {
  chmodSync,
  chownSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LocalState } from '../../cli/local/local-state.ts';
import {
  makeSecretDirectory,
  readNamedSecret,
  readPrivateFile,
  writePrivateFile,
} from '../../node/private-file.ts';

const isRoot = process.getuid?.() === 0;
const unlessRoot = isRoot ? '' : ' (skipped: needs root)';
const STRANGER = 65_534;
const SECRET = 'a secret of more than thirty-two bytes for this test';

let dir: string;
const at = (name: string) => join(dir, name);
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'holdfast-private-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

describe('a private directory', () => {
  it('[X13] is created for its owner only', async () => {
    await makeSecretDirectory(at('a/b'));
    expect(statSync(at('a/b')).mode & 0o777).toBe(0o700);
  });

  it('[X13] is made private if others could read it', async () => {
    mkdirSync(at('open'));
    chmodSync(at('open'), 0o777);
    await makeSecretDirectory(at('open'));
    expect(statSync(at('open')).mode & 0o777).toBe(0o700);
  });

  it('[X13] is refused if it is a symbolic link', async () => {
    mkdirSync(at('elsewhere'));
    symlinkSync(at('elsewhere'), at('link'));
    await expect(makeSecretDirectory(at('link'))).rejects.toThrow(
      /link is a symbolic link; give the directory/,
    );
  });

  it.skipIf(!isRoot)(`[X13] is refused if it belongs to another user${unlessRoot}`, async () => {
    mkdirSync(at('theirs'));
    chownSync(at('theirs'), STRANGER, STRANGER);
    await expect(makeSecretDirectory(at('theirs'))).rejects.toThrow(
      /theirs belongs to another user \(65534\)/,
    );
  });
});

describe('a private file', () => {
  it('[X13] replaces a planted link and does not touch its target', async () => {
    writeFileSync(at('victim'), 'precious');
    symlinkSync(at('victim'), at('secret'));
    await writePrivateFile(at('secret'), 'new');
    expect(readFileSync(at('victim'), 'utf8')).toBe('precious');
    expect(lstatSync(at('secret')).isFile()).toBe(true);
    expect(statSync(at('secret')).mode & 0o777).toBe(0o600);
  });

  it('[X13] is not read through a link', async () => {
    writeFileSync(at('real'), 'x', { mode: 0o600 });
    symlinkSync(at('real'), at('link'));
    await expect(readPrivateFile(at('link'))).rejects.toThrow(
      /is a symbolic link; put the file itself there/,
    );
  });

  it('[X13] is not read if others can read it', async () => {
    writeFileSync(at('open'), 'x');
    chmodSync(at('open'), 0o640);
    await expect(readPrivateFile(at('open'))).rejects.toThrow(/may be read by others; run chmod 600/);
  });

  it.skipIf(!isRoot)(`[X13] is not read if another user created it${unlessRoot}`, async () => {
    writeFileSync(at('theirs'), 'x', { mode: 0o600 });
    chownSync(at('theirs'), STRANGER, STRANGER);
    await expect(readPrivateFile(at('theirs'))).rejects.toThrow(/belongs to another user/);
  });

  it('may be a link if the user named it, as mounted secrets are', async () => {
    writeFileSync(at('real'), SECRET, { mode: 0o600 });
    symlinkSync(at('real'), at('link'));
    expect(await readNamedSecret(at('link'))).toBe(SECRET);
  });
});

describe('the state directory of npm start', () => {
  it('[X13] does not use a planted secret', async () => {
    mkdirSync(at('state'), { mode: 0o777 });
    writeFileSync(at('known-to-the-attacker'), SECRET, { mode: 0o600 });
    symlinkSync(at('known-to-the-attacker'), at('state/relay-secret'));
    const state = await LocalState.open(at('state'));
    await expect(state.secret()).rejects.toThrow(/relay-secret is a symbolic link/);
    await state.release();
  });

  it('[X13] does not store the relay’s data behind a planted link', async () => {
    mkdirSync(at('state'), { mode: 0o777 });
    symlinkSync(tmpdir(), at('state/relay'));
    await expect(LocalState.open(at('state'))).rejects.toThrow(/relay is a symbolic link/);
  });

  it('keeps the secret that it generated', async () => {
    const first = await LocalState.open(at('state'));
    const secret = await first.secret();
    await first.release();
    const second = await LocalState.open(at('state'));
    expect(await second.secret()).toBe(secret);
    await second.release();
  });
});
