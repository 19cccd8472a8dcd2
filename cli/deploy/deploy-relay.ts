/**
 * The rules of a deploy: which secrets are made, which are kept, and when it is refused. What a deployment has is never
 * replaced, except the owner's key on request: everything that was made with a secret would be void.
 */
import { randomBytes } from 'node:crypto';
import { CommandError, EXIT } from '../command-line/exit-codes.ts';
import { keepOwner, ownerFile, type RelayOwner, readOwner, replaceOwner } from '../owner/owner-key.ts';
import { deployedAddress } from './deployed-address.ts';
import { type Outside, ownerLink, WrongOwner } from './owner-link.ts';
import type { Wrangler } from './wrangler.ts';

const SECRET = 'RELAY_SECRET';
const OWNER_KEY = 'RELAY_OWNER_KEY';
const SECRET_BYTES = 32;

export interface Deploy {
  readonly worker: string;
  /** Where the key of this relay's owner is kept. */
  readonly stateDir: string;
  readonly resetsOwner: boolean;
}

export interface DeployTools extends Outside {
  readonly wrangler: Wrangler;
}

/** Resolves with a link with which the owner logs in. */
export async function deployRelay(deploy: Deploy, tools: DeployTools): Promise<string> {
  const { wrangler, say } = tools;
  const { worker, stateDir, resetsOwner } = deploy;
  if (!(await wrangler.isLoggedIn())) throw new CommandError(EXIT.notAllowed, NOT_LOGGED_IN);
  const there = (await wrangler.secretNames(worker)) ?? new Set();
  // Asked before anything is changed.
  if (there.has(OWNER_KEY) && !resetsOwner && (await readOwner(stateDir)) === null)
    throw new CommandError(EXIT.failed, ownerMissing(deploy));

  say(`holdfast: deploying ${worker} …`);
  const relay = deployedAddress(await wrangler.deploy(worker));
  if (relay === null) throw new CommandError(EXIT.failed, noAddress(worker));

  const owner = resetsOwner ? await replaceOwner(stateDir, relay) : await keepOwner(stateDir, relay);
  const secrets = missingSecrets(owner, there, resetsOwner);
  const names = Object.keys(secrets);
  if (names.length > 0) {
    await wrangler.putSecrets(worker, secrets);
    say(`holdfast: made and stored ${names.join(' and ')}`);
  }
  say(`holdfast: deployed to ${relay.origin}; the owner's key is in ${ownerFile(stateDir)}`);
  try {
    return await ownerLink({ relay, owner, isNewKey: OWNER_KEY in secrets }, tools);
  } catch (error) {
    if (error instanceof WrongOwner) throw new CommandError(EXIT.notAllowed, otherOwner(deploy));
    throw error;
  }
}

/** The public half of the owner's key is no secret, but only what is stored as one stays there over later deploys. */
function missingSecrets(
  { publicKey }: RelayOwner,
  there: ReadonlySet<string>,
  resetsOwner: boolean,
): Record<string, string> {
  return {
    ...(there.has(SECRET) ? {} : { [SECRET]: randomBytes(SECRET_BYTES).toString('base64url') }),
    ...(there.has(OWNER_KEY) && !resetsOwner ? {} : { [OWNER_KEY]: publicKey }),
  };
}

/** What `holdfast deploy --dry-run` says about secrets. It asks nobody, so that it works offline. */
export async function plannedSecrets({ stateDir, resetsOwner }: Deploy): Promise<string[]> {
  const file = ownerFile(stateDir);
  const isHere = (await readOwner(stateDir)) !== null;
  const owner = resetsOwner
    ? `would replace ${OWNER_KEY} by the public half of a new key in ${file}`
    : isHere
      ? `would store ${OWNER_KEY}, the public half of the key in ${file}, unless the deployment has one`
      : `would make a key in ${file} and store its public half as ${OWNER_KEY}; if the deployment has one, it would stop`;
  return [`would make ${SECRET} and store it, unless the deployment has one`, owner];
}

const NOT_LOGGED_IN =
  'nobody is logged in to Cloudflare here; run `npx wrangler login`, or set CLOUDFLARE_API_TOKEN';

const WHERE_ELSE =
  'run this where it was deployed before, or with --reset-owner, which makes a new key and voids everything made with the old one';

function ownerMissing({ worker, stateDir }: Deploy): string {
  return `${worker} has an owner whose key is not in ${ownerFile(stateDir)}, so nothing was deployed; ${WHERE_ELSE}`;
}

function otherOwner({ worker, stateDir }: Deploy): string {
  return `${worker} is deployed, but its owner has another key than the one in ${ownerFile(stateDir)}; ${WHERE_ELSE}`;
}

function noAddress(worker: string): string {
  return `${worker} is deployed, but wrangler names no address for it; set workers_dev = true or a custom domain in wrangler.toml, and run this again`;
}
