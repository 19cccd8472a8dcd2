/** Which variables may be added to a session's environment, tested by what real programs do with them. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { Refusal } from '../../../protocol/errors.ts';
import { ENV_NAME_MAX_CHARS, ENV_VARIABLES_MAX } from '../../../protocol/limits.ts';
import { acceptable, sessionEnvironment } from '../../../vm-agent/pty/session-environment.ts';
import { programOf } from '../../../vm-agent/session/session-request.ts';

function refusal(added: Record<string, string>): string {
  try {
    sessionEnvironment({}, added);
  } catch (error) {
    if (error instanceof Refusal) return `${error.code}: ${error.message}`;
    throw error;
  }
  throw new Error('it was taken');
}

describe('a variable that runs code', () => {
  it.each([
    ...['LD_PRELOAD', 'LD_LIBRARY_PATH', 'LD_AUDIT', 'DYLD_INSERT_LIBRARIES', 'GCONV_PATH', 'GLIBC_TUNABLES'],
    ...['MALLOC_CHECK_', 'LOCPATH', 'NLSPATH', 'HOSTALIASES', 'TERMINFO', 'TERMINFO_DIRS', 'TERMCAP'],
    ...[
      'BASH_ENV',
      'ENV',
      'BASHOPTS',
      'SHELLOPTS',
      'PS4',
      'PROMPT_COMMAND',
      'IFS',
      'ZDOTDIR',
      'INPUTRC',
      'FPATH',
    ],
    ...['BASH_FUNC_ls', 'MAILPATH', 'PERL5OPT', 'PERL5LIB', 'PERLLIB', 'PERL5DB', 'RUBYOPT', 'RUBYLIB'],
    ...['PYTHONSTARTUP', 'PYTHONPATH', 'PYTHONHOME', 'PYTHONINSPECT', 'PYTHONWARNINGS', 'PYTHONBREAKPOINT'],
    ...['NODE_OPTIONS', 'NODE_PATH', 'NODE_EXTRA_CA_CERTS', 'npm_config_script_shell', 'JAVA_TOOL_OPTIONS'],
    ...['_JAVA_OPTIONS', 'JDK_JAVA_OPTIONS', 'CLASSPATH', 'LUA_INIT', 'LUA_INIT_5_4', 'DOTNET_STARTUP_HOOKS'],
    ...[
      'GIT_SSH_COMMAND',
      'GIT_EXTERNAL_DIFF',
      'GIT_CONFIG_COUNT',
      'GIT_CONFIG_GLOBAL',
      'GIT_EXEC_PATH',
      'GIT_ASKPASS',
    ],
    ...[
      'LESSOPEN',
      'LESSCLOSE',
      'LESSKEY',
      'SSH_ASKPASS',
      'MAKEFLAGS',
      'MAKEFILES',
      'TAR_OPTIONS',
      'VIMINIT',
      'EXINIT',
    ],
    ...['OPENSSL_CONF', 'SSLKEYLOGFILE', 'SSL_CERT_FILE', 'PSQLRC', 'CURL_HOME', 'WGETRC', 'RUSTC_WRAPPER'],
  ])('[X18] %s is refused', (name) => {
    expect(refusal({ [name]: 'x' })).toMatch(new RegExp(`^bad_request: The variable ${name} may not be set`));
  });

  it.each([
    { PS1: '$(id)$ ' },
    { PS1: '`id`$ ' },
    { PS2: '\x24{x@P}' },
    { PROMPT: '$(id)' },
    { LESS: '+!id' },
  ])('[X18] %o is refused because of its value', (added) => {
    expect(refusal(added as Record<string, string>)).toMatch(/^bad_request: /);
  });

  it.each([
    { PS1: '$ ' },
    { PS1: '\\u@\\h:\\w\\$ ' },
    { LESS: '-R' },
    { EDITOR: 'vi', VISUAL: 'vi', PAGER: 'cat', MANPAGER: 'cat', GIT_PAGER: 'cat', GIT_EDITOR: 'true' },
    { GIT_AUTHOR_NAME: 'Ann', GIT_TERMINAL_PROMPT: '0', PYTHONUNBUFFERED: '1', NODE_ENV: 'test', CI: '1' },
    { PATH: '/opt/bin:/bin', HOME: '/srv', LANG: 'C.UTF-8', LC_ALL: 'C.UTF-8', TZ: 'UTC', LINES: '24' },
  ])('[X18] %o is accepted', (added) => {
    expect(sessionEnvironment({ TERM: 'x' }, added as Record<string, string>)).toEqual({
      TERM: 'x',
      ...added,
    });
  });
});

const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`V${i}`, 'x']));

describe('the session id', () => {
  const defaults = { command: 'sh', cwd: '/', env: { HOME: '/' } };
  const program = (env: Record<string, string>, id: string) =>
    programOf({ env, size: { cols: 80, rows: 24 } }, defaults, id).env;

  it('[U5] is in TERM_SESSION_ID, whatever the caller gave', () => {
    expect(program({}, 'own')).toEqual({ HOME: '/', TERM_SESSION_ID: 'own' });
    expect(program({ TERM_SESSION_ID: 'another' }, 'own').TERM_SESSION_ID).toBe('own');
  });

  it('[U5] does not count as a variable of the caller, so that a session with all of them can be restored', () => {
    const first = program(many(ENV_VARIABLES_MAX), 'own');
    expect(program(first, 'own')).toEqual(first);
  });
});

describe('the size of an environment', () => {
  it('[AG11] [X18] is limited in number', () => {
    expect(Object.keys(sessionEnvironment({}, many(ENV_VARIABLES_MAX)))).toHaveLength(ENV_VARIABLES_MAX);
    expect(refusal(many(ENV_VARIABLES_MAX + 1))).toMatch(
      /^bad_request: A session accepts up to 128 variables/,
    );
  });

  it('[X18] does not count what the session would have anyway', () => {
    const base = { HOME: '/', PATH: '/bin' };
    expect(sessionEnvironment(base, { ...base, ...many(ENV_VARIABLES_MAX) })).toMatchObject(base);
  });

  it('[X18] is limited in the length of names', () => {
    expect(sessionEnvironment({}, { ['V'.repeat(ENV_NAME_MAX_CHARS)]: 'x' })).not.toEqual({});
    expect(refusal({ ['V'.repeat(ENV_NAME_MAX_CHARS + 1)]: 'x' })).toMatch(
      /^bad_request: The name of a variable/,
    );
  });

  it('[X18] of an earlier version keeps what this version would accept', () => {
    expect(acceptable({ HOME: '/', NODE_PATH: '/x', 'A=B': 'x', PS1: '$ ' })).toEqual({
      HOME: '/',
      PS1: '$ ',
    });
  });
});

describe('programs of this machine', () => {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-hooks-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'hook.sh'), 'echo HOOKED\n');
  writeFileSync(join(folder, 'hook.js'), 'console.log("HOOKED")\n');

  /** Each is run with a hook that our list refuses; if it were accepted, the hook would run. */
  it.each([
    { program: 'bash', args: ['-c', ':'], hook: { BASH_ENV: join(folder, 'hook.sh') } },
    {
      program: process.execPath,
      args: ['-e', '0'],
      hook: { NODE_OPTIONS: `--require=${join(folder, 'hook.js')}` },
    },
  ])('[X18] $program runs $hook, so it is refused', ({ program, args, hook }) => {
    const variables = hook as Record<string, string>;
    const env = { PATH: process.env.PATH ?? '', ...variables };
    const printed = execFileSync('sh', ['-c', '"$0" "$@" 2>&1', program, ...args], { env, encoding: 'utf8' });
    expect(printed).toContain('HOOKED');
    expect(refusal(variables)).toMatch(/^bad_request: /);
  });
});
