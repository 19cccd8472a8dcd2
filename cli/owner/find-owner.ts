/** Finds the owner's key for a command: in a given state directory, or where `holdfast up` and `deploy` keep theirs. */
import { readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { configDirectory } from '../../node/config-directory.ts';
import type { Input, Option } from '../command-line/command.ts';
import { CommandError, EXIT } from '../command-line/exit-codes.ts';
import { UsageError } from '../command-line/usage-error.ts';
import { ownerFile, type RelayOwner, readOwner } from './owner-key.ts';

export const OWNER_OPTIONS = {
  relay: { value: '<url>', meaning: 'address of the relay, if you own several' },
  'state-dir': {
    value: '<directory>',
    meaning: "the relay's state directory, which has the owner's key (HOLDFAST_STATE_DIR)",
  },
} as const satisfies Record<string, Option>;

export interface OwnedRelay {
  readonly relay: URL;
  readonly owner: RelayOwner;
}

export async function findOwner(input: Input, env: NodeJS.ProcessEnv = process.env): Promise<OwnedRelay> {
  const asked = readAddress(input.text('relay'));
  const dir = input.text('state-dir') ?? (env.HOLDFAST_STATE_DIR || undefined);
  const owned = await Promise.all((dir === undefined ? await keptBy(env) : [resolve(dir)]).map(ownedIn));
  const found = owned.flatMap((one) => one ?? []);
  // A key is for one relay, but the address of that may have changed since.
  if (dir !== undefined && found[0] !== undefined) return { ...found[0], relay: asked ?? found[0].relay };
  const [first, ...others] = found.filter(({ relay }) => asked === null || relay.origin === asked.origin);
  if (first !== undefined && others.length === 0) return first;
  throw new CommandError(EXIT.notAllowed, first === undefined ? noneFound(dir, asked) : severalFound(found));
}

/** `up` has one relay, `deploy` one per name. */
async function keptBy(env: NodeJS.ProcessEnv): Promise<string[]> {
  const config = configDirectory(env);
  const deployed = await readdir(join(config, 'relays')).catch(() => []);
  return [join(config, 'up'), ...deployed.map((name) => join(config, 'relays', name))];
}

async function ownedIn(dir: string): Promise<OwnedRelay | null> {
  const owner = await readOwner(dir);
  return owner === null || owner.relay === null ? null : { owner, relay: owner.relay };
}

function readAddress(text: string | undefined): URL | null {
  if (text === undefined) return null;
  if (/^https?:\/\//.test(text) && URL.canParse(text)) return new URL(text);
  throw new UsageError(`--relay is ${JSON.stringify(text)}, which is not an http:// or https:// address`);
}

function noneFound(dir: string | undefined, asked: URL | null): string {
  if (dir !== undefined)
    return `there is no owner's key in ${ownerFile(resolve(dir))}; start the relay with this state directory once`;
  const whose = asked === null ? 'a relay' : asked.origin;
  return `the key of the owner of ${whose} is not on this machine; run this where \`holdfast up\` or \`holdfast deploy\` ran, or give --state-dir`;
}

function severalFound(found: readonly OwnedRelay[]): string {
  return `you own several relays; choose one with --relay: ${found.map(({ relay }) => relay.origin).join(', ')}`;
}
