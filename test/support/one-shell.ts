/** Runs the commands of a page one after the other in one shell, as a reader would type them. */
import { spawn } from 'node:child_process';

export interface ShellOptions {
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly cwd?: string;
}

/** Resolves with what each command printed, stdout and stderr interleaved. */
export function runInOneShell(
  commands: readonly string[],
  { env = {}, cwd }: ShellOptions = {},
): Promise<string[]> {
  const script = commands.map((command) => `${command}\nprintf '\\036'`).join('\n');
  const shell = spawn('bash', ['-c', `exec 2>&1\n${script}`], {
    env: { ...process.env, ...env } as NodeJS.ProcessEnv,
    ...(cwd === undefined ? {} : { cwd }),
  });
  let printed = '';
  shell.stdout.setEncoding('utf8');
  shell.stdout.on('data', (text: string) => {
    printed += text;
  });
  return new Promise((resolve) => shell.on('close', () => resolve(printed.split('\x1e').slice(0, -1))));
}
