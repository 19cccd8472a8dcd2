/** What `holdfast up` tells the owner of its relay: a link to log in, and how machines join. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { configDirectory } from '../../node/config-directory.ts';
import { say } from '../../node/print.ts';
import { cleanEnvironment } from '../local/local-agent.ts';
import type { LocalRun } from '../local/local-run.ts';

/** The command itself, which also runs agents: the source in a checkout, else the built one. */
export const HOLDFAST = fileURLToPath(
  new URL(import.meta.url.endsWith('.ts') ? '../holdfast.ts' : './holdfast.js', import.meta.url),
);

/** Long enough for a busy machine. */
const LINK_WITHIN_MS = 20_000;

/** A short process asks the relay for the link, because this one stays, and would keep the memory for that. */
export async function sayToOwner({ place, stateDir }: Pick<LocalRun, 'place' | 'stateDir'>): Promise<void> {
  const { code, out, err } = await ownLink(stateDir, place.tls?.certFile);
  // Without it, everything else works; the command that makes a link says what is wrong.
  if (code !== 0) return say(`There is no link for the owner now: ${err.trim()}`);
  say(`To log in as the owner, once, within 10 minutes: ${out.trim()}`);
  const isOwnPlace = stateDir.startsWith(`${configDirectory(process.env)}/`);
  say(`To let a machine join: holdfast invite${isOwnPlace ? '' : ` --state-dir '${stateDir}'`}`);
}

interface Outcome {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** `certificate`: the relay's own, which this process trusts even if nobody else does. */
function ownLink(stateDir: string, certificate: string | undefined): Promise<Outcome> {
  const env = {
    ...cleanEnvironment(process.env),
    ...(certificate === undefined ? {} : { NODE_EXTRA_CA_CERTS: certificate }),
  };
  const args = [HOLDFAST, 'link', '--owner', '--state-dir', stateDir];
  return new Promise((resolve) => {
    execFile(process.execPath, args, { env, timeout: LINK_WITHIN_MS }, (error, out, err) =>
      resolve({ code: error === null ? 0 : 1, out, err: err.split('\n')[0] ?? '' }),
    );
  });
}
