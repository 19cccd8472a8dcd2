/**
 * Runs the agent or its doctor from a command line. Bad settings print one sentence and exit with 2; an unusable token
 * prints one sentence and exits with 77.
 */

import { print, say } from '../node/print.ts';
import { readTokenFile } from '../node/token-file.ts';
import { Daemon } from './daemon.ts';
import { runDoctor } from './doctor/run-doctor.ts';
import { requireUsableToken, TOKEN_EXIT_CODE, TokenError } from './doctor/usable-token.ts';
import { ConfigError, helpText, readConfig } from './settings/config.ts';

/** Resolves with the exit code if nothing keeps running; a running agent ends the process itself. */
export async function runAgent(args: readonly string[]): Promise<number> {
  const isDoctor = args[0] === 'doctor';
  if (args.includes('--help') || args.includes('-h')) {
    print(helpText(isDoctor));
    return 0;
  }
  try {
    if (isDoctor) return await runDoctor(args.slice(1));
    return await start(args);
  } catch (error) {
    if (!(error instanceof ConfigError || error instanceof TokenError)) throw error;
    say(`holdfast agent: ${error.message}`);
    return error instanceof TokenError ? TOKEN_EXIT_CODE : 2;
  }
}

/** SIGINT, SIGTERM and SIGHUP shut it down in an orderly way. */
async function start(args: readonly string[]): Promise<never> {
  const config = readConfig(args, process.env);
  requireUsableToken(readTokenFile(config.tokenFile), config.workspace);
  const daemon = await Daemon.start(config);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => void daemon.stop(0));
  if (config.healthPort !== 0) await daemon.serveHealth(config.healthPort);
  return new Promise(() => {});
}
