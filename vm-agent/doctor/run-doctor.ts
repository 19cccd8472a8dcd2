/** `holdfast agent doctor`: runs every check and prints one line each, with what to do. Exits with 1 if one fails. */

import { print, printJson } from '../../node/print.ts';
import { readTokenFile } from '../../node/token-file.ts';
import { SENTENCE_MAX_CHARS } from '../../protocol/limits.ts';
import { printable } from '../../protocol/printable.ts';
import { readConfig } from '../settings/config.ts';
import { checkKey } from './check-key.ts';
import {
  checkLocale,
  checkOpenFiles,
  checkShell,
  checkStateDirectory,
  checkTerminals,
  checkUser,
  openFilesLimit,
} from './check-machine.ts';
import { askPin, checkRelay } from './check-relay.ts';
import { checkRunning } from './check-running.ts';
import { checkSocket } from './check-socket.ts';
import { checkToken } from './check-token.ts';
import type { Finding } from './finding.ts';

export async function runDoctor(args: readonly string[]): Promise<number> {
  const config = readConfig(
    args.filter((arg) => arg !== '--json'),
    process.env,
  );
  const token = readTokenFile(config.tokenFile);
  const findings = [
    checkToken(token, config.workspace, new Date()),
    ...(await checkRelay(config, token, () => new Date())),
    ...(await checkSocket(config, token)),
    checkKey(config.keyFile, await askPin(config, token), token),
    await checkShell(process.env),
    await checkLocale(process.env),
    checkOpenFiles(openFilesLimit(), config),
    checkTerminals(config),
    checkStateDirectory(config),
    checkUser(process.getuid?.()),
    ...(await checkRunning(config)),
  ];
  const failures = findings.filter(({ verdict }) => verdict === 'fail').length;
  if (args.includes('--json')) printJson({ ok: failures === 0, findings }, 2);
  else print(findings.map(lineOf).join('\n'));
  return failures === 0 ? 0 : 1;
}

function lineOf({ verdict, about, sentence }: Finding): string {
  return `${verdict.padEnd(6)}${about.padEnd(17)}${printable(sentence, SENTENCE_MAX_CHARS)}`;
}
