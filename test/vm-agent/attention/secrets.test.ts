/** What is typed where the terminal does not show it is kept nowhere: a real shell, its state directory, its blobs. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../../node/system-clock.ts';
import { sessionDigest } from '../../../vm-agent/attention/session-digest.ts';
import { keepOnDisk } from '../../../vm-agent/disk/disk-storage.ts';
import { StateStore } from '../../../vm-agent/disk/state-store.ts';
import { KeeperStorage } from '../../../vm-agent/kept/kept-storage.ts';
import type { Session } from '../../../vm-agent/session/session.ts';
import { hasProc, unlessProc } from '../../support/needs-proc.ts';
import { RealSession } from '../run/real-session.ts';

const folder = mkdtempSync(join(tmpdir(), 'holdfast-secrets-'));
afterAll(() => rmSync(folder, { recursive: true }));

const CANARY = 'zw1eback-canary';

/** Everything that a session tells or stores, as text. */
function everything(session: Session, blobs: readonly string[]): string {
  const { info, commands } = session;
  const told = { info, list: commands.list, saved: commands.save(), digest: sessionDigest(session, 0) };
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8', withFileTypes: true });
  const stored = files
    .filter((file) => file.isFile())
    .map((file) => readFileSync(join(file.parentPath, file.name), 'latin1'));
  return [JSON.stringify(told), ...blobs, ...stored].join('\n');
}

/** Types as a person does. */
const types = (session: Session, offset: number, text: string) =>
  session.type(
    { channel: 1, role: 'operator', instance: 'person', history: 'all', describe: false },
    offset,
    Buffer.from(text),
  );

describe.skipIf(!hasProc)(`[A4] a password${unlessProc}`, () => {
  it('is kept nowhere, whoever types it, though that it is asked for is noticed', async () => {
    const blobs: string[] = [];
    const { store } = await StateStore.open(folder, { quotaBytes: 1e8, clock: systemClock, warn: () => {} });
    const keeper = {
      putBlob: (_: number, name: string, bytes: Uint8Array) =>
        void blobs.push(`${name} ${Buffer.from(bytes).toString('latin1')}`),
      retain() {},
      flushed: async () => {},
    };
    const real = new RealSession(
      'bash',
      ['--norc', '-i'],
      new KeeperStorage(keeper, systemClock, keepOnDisk(store, [], [])).keep,
    );
    const { session } = real;
    const asks = `bash -c 'read -rsp "Password: " x; echo; echo "length \${#x}"; sleep 0.1'`;
    await expect(real.run(asks)).resolves.toMatchObject({ state: 'needs_input' });
    await expect
      .poll(() => session.info.attention, { timeout: 10_000 })
      .toMatchObject({ state: 'asks', text: 'bash -c waits for a password', guessed: true });
    types(session, 0, `${CANARY}\r`);
    await expect.poll(() => session.commands.list.at(-1)?.exitCode, { timeout: 10_000 }).toBe(0);
    session.assist.typing.handBack();
    await expect(real.run(asks)).resolves.toMatchObject({ state: 'needs_input' });
    const assistant = { id: 'one', name: 'Codex' };
    await session.assist.type(
      { assistant, connection: 'c', act: 'a-secret', waitMs: 5_000 },
      `${CANARY}\r`,
      false,
    );
    await expect.poll(() => session.commands.list.at(-1)?.exitCode, { timeout: 10_000 }).toBe(0);
    await expect(real.run('echo visible-word')).resolves.toMatchObject({ state: 'done' });
    await store.close();
    await expect.poll(() => everything(session, blobs)).toContain('visible-word');
    const text = everything(session, blobs);
    for (const where of ['metadata ', 'commands ', 'runs ', 'attention'])
      expect(text.includes(where), where).toBe(true);
    expect(text.includes(`length ${CANARY.length}`), 'what the program printed is kept').toBe(true);
    expect(text.split('\n').filter((line) => line.includes(CANARY))).toEqual([]);
  });
});
