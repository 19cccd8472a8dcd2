/** Tokens made in other languages, tested with the real gate. */
import { execFile } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { onPath, unlessMissing } from '../support/on-path.ts';
import { machineNode } from '../support/processes.ts';
import { SECRET, TestRelay } from '../support/test-relay.ts';

const example = (file: string) =>
  fileURLToPath(new URL(`../../examples/mint-token/${file}`, import.meta.url));
const dir = mkdtempSync(join(tmpdir(), 'holdfast-mint-'));
const secretFile = join(dir, 'relay-secret');
const keyFile = join(dir, 'login.pem');
const keys = generateKeyPairSync('ed25519');

let relay: TestRelay;
beforeAll(async () => {
  // A line end at the end of the file is not part of the secret.
  writeFileSync(secretFile, `${SECRET}\n`, { mode: 0o600 });
  writeFileSync(keyFile, keys.privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600 });
  const RELAY_PUBLIC_KEY = keys.publicKey.export({ type: 'spki', format: 'pem' }).toString();
  relay = await TestRelay.onWorkerd({ settings: { RELAY_PUBLIC_KEY } });
});
afterAll(async () => {
  await relay?.[Symbol.asyncDispose]();
  rmSync(dir, { recursive: true });
});

interface Language {
  readonly name: string;
  readonly program: string | undefined;
  readonly before: readonly string[];
  readonly signsWithKeys: boolean;
}

const languages: readonly Language[] = [
  { name: 'node', program: machineNode(), before: [example('mint.mjs')], signsWithKeys: true },
  { name: 'python3', program: onPath('python3'), before: [example('mint.py')], signsWithKeys: false },
  { name: 'go', program: onPath('go'), before: ['run', example('mint.go')], signsWithKeys: true },
];

async function health(token: string, workspace = relay.workspace): Promise<number> {
  const url = new URL(`/api/workspaces/${workspace}/health`, relay.url);
  return (await fetch(url, { headers: { Authorization: `Bearer ${token}` } })).status;
}

async function makeSession(token: string): Promise<number> {
  const url = new URL(`/api/workspaces/${relay.workspace}/sessions`, relay.url);
  const headers = { Authorization: `Bearer ${token}` };
  return (await fetch(url, { method: 'POST', headers, body: '{}' })).status;
}

describe.each(languages)('a token made by $name', ({ name, program, before, signsWithKeys }) => {
  const mint = async (file: string, role: string, seconds = 60): Promise<string> => {
    const args = [...before, file, relay.workspace, role, `${seconds}`];
    // A separate home: Go keeps its build cache there.
    const env = { PATH: process.env.PATH, HOME: dir };
    return (await promisify(execFile)(program ?? '', args, { env })).stdout.trim();
  };

  it.skipIf(program === undefined)(
    `[GT2] [GT3] passes the gate in its role, until it expires${unlessMissing(name, program)}`,
    async () => {
      const operator = await mint(secretFile, 'operator');
      expect(await health(operator)).toBe(200);
      expect(await health(operator, 'other')).toBe(403);
      expect(await makeSession(operator), 'let in; there is no machine').toBe(503);
      expect(await makeSession(await mint(secretFile, 'viewer'))).toBe(403);
      expect(await health(await mint(secretFile, 'agent'))).toBe(403);
      expect(await health(await mint(secretFile, 'operator', -5))).toBe(401);
    },
  );

  it.skipIf(program === undefined)(
    `has its own id, by which it can be revoked${unlessMissing(name, program)}`,
    async () => {
      const [one, two] = [await mint(secretFile, 'viewer'), await mint(secretFile, 'viewer')];
      const { jti } = JSON.parse(Buffer.from(one.split('.')[1] ?? '', 'base64url').toString());
      const url = new URL(`/api/workspaces/${relay.workspace}/revocations`, relay.url);
      const headers = await relay.bearer('operator');
      expect((await fetch(url, { method: 'POST', headers, body: JSON.stringify({ jti }) })).status).toBe(204);
      expect([await health(one), await health(two)]).toEqual([401, 200]);
    },
  );

  it.skipIf(program === undefined || !signsWithKeys)(
    `passes if it is signed with a key whose public key the relay has${signsWithKeys ? unlessMissing(name, program) : ' (skipped: not in the standard library)'}`,
    async () => {
      expect(await health(await mint(keyFile, 'operator'))).toBe(200);
      const other = join(dir, 'other.pem');
      const stranger = generateKeyPairSync('ed25519').privateKey;
      writeFileSync(other, stranger.export({ type: 'pkcs8', format: 'pem' }));
      expect(await health(await mint(other, 'operator'))).toBe(401);
    },
  );
});
