/** The settings of client commands: relay, workspace and token. Flags take precedence over the environment. */

import { readTokenFile, type TokenReading } from '../../node/token-file.ts';
import { WORKSPACE_NAME } from '../../protocol/token.ts';
import type { Input, Option } from '../command-line/command.ts';
import { UsageError } from '../command-line/usage-error.ts';

export interface ClientSettings {
  readonly relay: URL;
  readonly workspace: string;
  /** Called before each dial, because the file may have been replaced. */
  readonly readToken: () => TokenReading;
  /** Whether `readToken` may return a different token later. */
  readonly isRenewable: boolean;
}

/** The options that every client command has. */
export const CLIENT_OPTIONS = {
  relay: { value: '<url>', meaning: 'address of the relay (HOLDFAST_RELAY)' },
  workspace: { value: '<name>', short: 'w', meaning: 'name of the workspace (HOLDFAST_WORKSPACE)' },
  'token-file': { value: '<file>', meaning: 'file with a token, chmod 600 (HOLDFAST_TOKEN_FILE)' },
} as const satisfies Record<string, Option>;

type Variables = Readonly<Record<string, string | undefined>>;

export function clientSettings(input: Input, environment: Variables = process.env): ClientSettings {
  const given = (option: string, variable: string) =>
    input.text(option) ?? (environment[variable] || undefined);
  const relay = readRelay(given('relay', 'HOLDFAST_RELAY'));
  const workspace = readWorkspace(given('workspace', 'HOLDFAST_WORKSPACE'));
  const file = input.text('token-file');
  const token = environment.HOLDFAST_TOKEN;
  const tokenFile = file ?? environment.HOLDFAST_TOKEN_FILE;
  // A flag is more specific than the environment. Of the two variables, the token itself takes precedence over the
  // file.
  if (file === undefined && token)
    return { relay, workspace, readToken: () => ({ ok: true, token }), isRenewable: false };
  if (!tokenFile)
    throw new UsageError('no token: set HOLDFAST_TOKEN_FILE or HOLDFAST_TOKEN, or give --token-file');
  return { relay, workspace, readToken: () => readTokenFile(tokenFile), isRenewable: true };
}

function readRelay(text: string | undefined): URL {
  if (text === undefined)
    throw new UsageError('no relay: set HOLDFAST_RELAY to its address, or give --relay');
  if (/^https?:\/\//.test(text) && URL.canParse(text)) return new URL(text);
  throw new UsageError(`the relay is ${JSON.stringify(text)}, which is not an http:// or https:// address`);
}

function readWorkspace(text: string | undefined): string {
  if (text === undefined)
    throw new UsageError('no workspace: set HOLDFAST_WORKSPACE to its name, or give --workspace');
  if (WORKSPACE_NAME.test(text)) return text;
  throw new UsageError(
    `the workspace is ${JSON.stringify(text)}, which is not a name of 1 to 64 letters, digits, - and _`,
  );
}
