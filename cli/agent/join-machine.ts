/**
 * Joins this machine to a relay: makes its key, trades the code of an invite for a token that works with that key only,
 * and writes the agent's settings. What can be checked is checked before the code is used up.
 */
import { readFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { makeSecretDirectory, writePrivateFile } from '../../node/private-file.ts';
import { readJoined } from '../../protocol/owner-answers.ts';
import { checkRelay } from '../../vm-agent/doctor/check-relay.ts';
import { openKeyFile } from '../../vm-agent/identity/key-file.ts';
import { parseEnvFile } from '../../vm-agent/settings/env-file.ts';
import { askRelay } from '../client/api-request.ts';
import { CommandError, EXIT } from '../command-line/exit-codes.ts';

export interface JoinRequest {
  readonly relay: URL;
  readonly code: string;
  /** The name that the person asked for. */
  readonly name: string | undefined;
  /** Where key, token and settings are kept. */
  readonly dir: string;
  readonly say: (line: string) => void;
}

export interface Joined {
  readonly workspace: string;
  readonly fingerprint: string;
  readonly envFile: string;
}

export async function joinMachine({ relay, code, name, dir, say }: JoinRequest): Promise<Joined> {
  const envFile = join(dir, 'agent.env');
  await requireSameRelay(envFile, relay);
  await requireRelay(relay, say);
  await makeSecretDirectory(dir);
  const keyFile = join(dir, 'agent-key');
  const reading = openKeyFile(keyFile);
  if (reading.kind === 'unusable') throw new CommandError(EXIT.failed, reading.why);
  const { publicText: key, fingerprint } = reading.key;
  const own = ownName(hostname());
  const body = { key, ...(name === undefined ? {} : { name }), ...(own === '' ? {} : { hostname: own }) };
  const answer = await askRelay(relay, '/api/join', {
    method: 'POST',
    authorization: `Invite ${code}`,
    body,
  });
  const joined = readJoined(answer);
  if (joined === null)
    throw new CommandError(EXIT.failed, `${relay.origin} answered with something else than a token`);
  const { workspace, token } = joined;
  const tokenFile = join(dir, 'agent-token');
  await writePrivateFile(tokenFile, `${token}\n`);
  await writePrivateFile(envFile, settingsText({ relay, workspace, tokenFile, keyFile, dir }));
  return { workspace, fingerprint, envFile };
}

interface Settings {
  readonly relay: URL;
  readonly workspace: string;
  readonly tokenFile: string;
  readonly keyFile: string;
  readonly dir: string;
}

/** Screens are kept on the disk, so that they are shown again after a restart of the machine. */
const settingsText = ({ relay, workspace, tokenFile, keyFile, dir }: Settings) =>
  `# Written by \`holdfast join\`. Settings of the agent: \`holdfast agent --help\` lists them.
HOLDFAST_RELAY=${relay.origin}
HOLDFAST_WORKSPACE=${workspace}
HOLDFAST_TOKEN_FILE=${tokenFile}
HOLDFAST_KEY_FILE=${keyFile}
PTY_STATE_DIR=${join(dir, 'sessions')}
`;

/** A machine may join the same relay again, as after a mistake. Another relay needs another directory. */
async function requireSameRelay(envFile: string, relay: URL): Promise<void> {
  const text = await readFile(envFile, 'utf8').catch(() => null);
  const settings = text === null ? undefined : parseEnvFile(text);
  const before = settings?.get('HOLDFAST_RELAY');
  if (before === undefined || before === relay.origin) return;
  throw new CommandError(
    EXIT.failed,
    `this user has joined ${before} already, as “${settings?.get('HOLDFAST_WORKSPACE')}” (${envFile}); to join another relay too, give --state-dir another directory`,
  );
}

/** Says if the clocks differ: that is harmless now, and a riddle later. [F35] */
async function requireRelay(relay: URL, say: (line: string) => void): Promise<void> {
  const findings = await checkRelay(
    { relay: relay.origin, workspace: '' },
    { ok: false, why: '' },
    () => new Date(),
  );
  const failed = findings.find(({ verdict }) => verdict === 'fail');
  if (failed !== undefined) throw new CommandError(EXIT.unavailable, failed.sentence);
  for (const { sentence, verdict } of findings) if (verdict === 'warn') say(sentence);
}

/** The machine's name as far as it can name a workspace; empty if nothing is left of it. */
export function ownName(host: string): string {
  return (host.split('.')[0] ?? '')
    .replace(/[^\w-]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 64);
}
