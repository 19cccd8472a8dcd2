/**
 * Runs the agent, its doctor or a reload from a command line. Bad settings print one sentence and exit with 2; an unusable token
 * prints one sentence and exits with 77.
 */

import { ignoreClosedOutput } from '../node/log.ts';
import { print, say } from '../node/print.ts';
import { readTokenFile } from '../node/token-file.ts';
import { Daemon } from './daemon.ts';
import { runDoctor } from './doctor/run-doctor.ts';
import { requireUsableToken, TOKEN_EXIT_CODE, TokenError } from './doctor/usable-token.ts';
import { KeeperVersionError } from './kept/connect-keeper.ts';
import { runReload } from './reload/run-reload.ts';
import { ConfigError, readConfig } from './settings/config.ts';
import { type AgentCommand, helpText } from './settings/help-text.ts';

/** Resolves with the exit code if nothing keeps running; a running agent ends the process itself. */
export async function runAgent(args: readonly string[]): Promise<number> {
  const command = commandOf(args);
  if (args.includes('--help') || args.includes('-h')) {
    print(helpText(command));
    return 0;
  }
  try {
    if (command === 'doctor') return await runDoctor(args.slice(1));
    if (command === 'reload') return await runReload(args.slice(1));
    return await start(args);
  } catch (error) {
    const isForPeople = error instanceof ConfigError || error instanceof TokenError;
    if (!isForPeople && !(error instanceof KeeperVersionError)) throw error;
    say(`holdfast agent: ${error.message}`);
    return error instanceof TokenError ? TOKEN_EXIT_CODE : 2;
  }
}

function commandOf([first]: readonly string[]): AgentCommand {
  return first === 'doctor' || first === 'reload' ? first : 'agent';
}

/** SIGINT, SIGTERM and SIGHUP shut it down in an orderly way. */
async function start(args: readonly string[]): Promise<never> {
  const config = readConfig(args, process.env);
  requireUsableToken(readTokenFile(config.tokenFile), config.workspace);
  ignoreClosedOutput();
  const daemon = await Daemon.start(config);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => void daemon.end());
  if (config.healthPort !== 0) await daemon.serveHealth(config.healthPort);
  return new Promise(() => {});
}
