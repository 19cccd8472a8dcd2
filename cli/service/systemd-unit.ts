/** Writes the unit of a service for systemd. vm-agent/install/holdfast-agent.service has the reasons at length. Pure. */
import type { Service } from './service.ts';

/** Everything ends itself within eight seconds, even if the agent hangs. */
const STOP_WITHIN_S = 15;

/** `user`: for a service of the machine, which has no HOME and SHELL of its own otherwise. */
export function unitText(service: Service, { user }: { readonly user?: string }): string {
  const isSystem = user !== undefined;
  const lines = [
    '[Unit]',
    `Description=${escapeSpecifiers(service.description)}`,
    ...(isSystem ? ['Wants=network-online.target', 'After=network-online.target'] : []),
    'StartLimitIntervalSec=0',
    '',
    '[Service]',
    ...(isSystem ? [`User=${escapeSpecifiers(user)}`] : []),
    `ExecStart=${commandLine(service.program)}`,
    ...(service.reloadSignal === undefined ? [] : [`ExecReload=/bin/kill -${service.reloadSignal} $MAINPID`]),
    ...Object.entries(service.environment).map(([name, value]) => `Environment=${word(`${name}=${value}`)}`),
    'Restart=on-failure',
    'RestartSec=2',
    '# Bad options do not get better by trying again.',
    'RestartPreventExitStatus=2',
    '# It ends its shells itself; what is left is killed.',
    'KillMode=mixed',
    `TimeoutStopSec=${STOP_WITHIN_S}`,
    '# If memory is short, the kernel ends one program, not every shell.',
    'OOMPolicy=continue',
    'TasksMax=infinity',
    'LimitNOFILE=65536',
    '',
    '[Install]',
    `WantedBy=${isSystem ? 'multi-user.target' : 'default.target'}`,
  ];
  return `${lines.join('\n')}\n`;
}

export function programInUnit(text: string): string | undefined {
  return /^ExecStart=(.*)$/m.exec(text)?.[1];
}

/** `%` begins a specifier, in every value. */
function escapeSpecifiers(text: string): string {
  return text.replaceAll('%', '%%');
}

/** The program's path is not expanded, and systemd refuses one with such characters; a shell does not. */
function commandLine([program = '', ...args]: readonly string[]): string {
  const isRefused = /["'\\$\p{Cc}]/u.test(program);
  const words = isRefused ? ['-c', 'exec "$0" "$@"', program, ...args] : args;
  // `$` is expanded in arguments.
  const escaped = words.map((text) => word(text).replaceAll('$', '$$$$'));
  return [isRefused ? '/bin/sh' : word(program), ...escaped].join(' ');
}

/** One word of a value, in double quotes unless it has only plain characters. Control characters are written as codes. */
function word(text: string): string {
  const escaped = escapeSpecifiers(text)
    .replace(/["\\]/g, '\\$&')
    .replace(/\p{Cc}/gu, (char) => Buffer.from(char).toString('hex').replace(/../g, '\\x$&'));
  return /^[\w./:=@,+-]+$/.test(text) ? text : `"${escaped}"`;
}
