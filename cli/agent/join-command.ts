/** `holdfast join`: trades the code of an invite for this machine's own credential, checks the set-up, and runs. */
import { join } from 'node:path';
import { configDirectory } from '../../node/config-directory.ts';
import { isLoopbackHost } from '../../node/loopback.ts';
import { print, say } from '../../node/print.ts';
import { WORKSPACE_NAME } from '../../protocol/token.ts';
import type { Command, Input } from '../command-line/command.ts';
import { CommandError, EXIT } from '../command-line/exit-codes.ts';
import { UsageError } from '../command-line/usage-error.ts';
import { runAgentCommand } from './agent-command.ts';

export const joinCommand: Command = {
  name: 'join',
  summary: 'join this machine to a relay, with the code of an invite',
  operands: '<relay> <code>',
  about: `Trades the code that \`holdfast invite\` printed for this machine's own credential, checks the set-up as
\`holdfast agent doctor\` does, and runs the agent until it is stopped, or as a service. The code works once. Shells run
as the user who runs this. Key, token and settings are kept in ~/.config/holdfast/machine, readable by this user only.`,
  options: {
    name: { value: '<name>', meaning: "the machine's name at the relay, default: its host name" },
    service: { meaning: 'keep it running as a service of systemd or launchd; `holdfast down` removes it' },
    'state-dir': { value: '<directory>', meaning: 'where key, token and settings are kept' },
  },
  examples: [
    ["holdfast join https://relay.example.com '#…'", 'the line that `holdfast invite` printed'],
    ["holdfast join https://relay.example.com '#…' --name build-7", 'under another name'],
    [
      "holdfast join https://relay.example.com '#…' --service",
      'and stay, also after a restart of the machine',
    ],
  ],
  async run(input) {
    const request = readRequest(input);
    const service = input.has('service') ? await import('./join-service.ts') : null;
    await service?.requireServices();
    const { joinMachine } = await import('./join-machine.ts');
    const { envFile, fingerprint, workspace } = await joinMachine({ ...request, say: told });
    print(`Joined ${request.relay.origin} as “${workspace}”, with the key ${fingerprint}.`);
    const { runDoctor } = await import('../../vm-agent/doctor/run-doctor.ts');
    const run = `holdfast agent --env-file ${envFile}`;
    if ((await runDoctor(['--env-file', envFile])) !== EXIT.ok) {
      throw new CommandError(
        EXIT.failed,
        `this machine has joined, but the check found a problem; solve it, then run: ${run}`,
      );
    }
    if (service !== null) return service.installAgent({ envFile, workspace });
    print(`Running. Ctrl-C ends it and its shells; to run it again: ${run}`);
    return runAgentCommand(['--env-file', envFile]);
  },
};

const told = (line: string) => say(`holdfast join: ${line}`);

function readRequest(input: Input) {
  const [address = '', code = ''] = input.operands;
  const name = input.text('name');
  if (name !== undefined && !WORKSPACE_NAME.test(name))
    throw new UsageError('--name needs 1 to 64 letters, digits, - and _');
  const dir = input.text('state-dir') ?? join(configDirectory(process.env), 'machine');
  return { relay: readRelay(address), code: readCode(code), name, dir };
}

function readRelay(text: string): URL {
  const url = /^https?:\/\//.test(text) && URL.canParse(text) ? new URL(text) : null;
  if (url === null)
    throw new UsageError(
      `the relay is ${JSON.stringify(text)}, which is not an https:// address; paste the whole line of \`holdfast invite\``,
    );
  if (url.protocol === 'http:' && !isLoopbackHost(url.hostname))
    throw new UsageError(
      'the relay must be reached over https: over plain http, anybody on the way could take the code and the shells',
    );
  return url;
}

/** A shell takes an unquoted `#…` for a comment, so it never arrives here. */
function readCode(text: string): string {
  if (text === '') throw new UsageError("the code is missing; paste it in quotes, as in '#…'");
  const code = text.replace(/^#/, '');
  if (!/^[\w-]{1,100}$/.test(code))
    throw new UsageError('this is not a code of `holdfast invite`; paste its whole line');
  return code;
}
