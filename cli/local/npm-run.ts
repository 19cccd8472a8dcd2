/** `npm start` and `npm run dev`: settings from the environment, state in the checkout, errors as one sentence. */
import { fileURLToPath } from 'node:url';
import { say } from '../../node/print.ts';
import { PROJECT } from '../../node/project.ts';
import { StartError } from '../../node/start-error.ts';
import { UsageError } from '../command-line/usage-error.ts';
import type { StartRelay } from './local-parts.ts';
import { runLocally } from './local-run.ts';
import { readPort } from './relay-address.ts';

/** The two differ only in how the relay runs. */
export async function runWithNpm(startRelay: StartRelay): Promise<void> {
  try {
    await start(startRelay);
  } catch (error) {
    if (!(error instanceof StartError || error instanceof UsageError)) throw error;
    say(error.message);
    process.exit(1);
  }
}

async function start(startRelay: StartRelay): Promise<void> {
  const [argument] = process.argv.slice(2);
  if (argument !== undefined)
    throw new UsageError(
      `unknown argument "${argument}"; PORT, HOST and other settings come from the environment, for example PORT=8788 npm start`,
    );
  const { HOST, PORT, HOLDFAST_STATE_DIR, RELAY_PUBLIC_URL } = process.env;
  const port = readPort(PORT);
  await runLocally({
    place: { host: HOST || '127.0.0.1', port, publicUrl: RELAY_PUBLIC_URL || undefined, tls: undefined },
    stateDir: HOLDFAST_STATE_DIR || fileURLToPath(new URL('.holdfast', PROJECT)),
    startRelay,
    anotherPort: `set PORT to another, for example PORT=${port + 1} npm start`,
  });
}
