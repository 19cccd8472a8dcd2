/** Invalid command lines, and the help of each command. */
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { helpOf } from '../../../cli/command-line/command.ts';
import { nearestName } from '../../../cli/command-line/did-you-mean.ts';
import { dispatchCommand } from '../../../cli/commands/command-dispatch.ts';
import { COMMANDS } from '../../../cli/commands/commands.ts';
import { CERTIFICATE, CERTIFICATE_KEY } from '../../support/certificate.ts';

const said = { out: '', err: '' };
beforeEach(() => {
  Object.assign(said, { out: '', err: '' });
  vi.spyOn(console, 'log').mockImplementation((text) => {
    said.out += `${text}\n`;
  });
  vi.spyOn(console, 'error').mockImplementation((text) => {
    said.err += `${text}\n`;
  });
  vi.stubEnv('HOLDFAST_RELAY', 'http://127.0.0.1:9');
  vi.stubEnv('HOLDFAST_WORKSPACE', 'w');
  vi.stubEnv('HOLDFAST_TOKEN', 't');
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

describe('an invalid command line', () => {
  it.each([
    { args: ['ls'], without: 'HOLDFAST_RELAY', says: /no relay: set HOLDFAST_RELAY/ },
    { args: ['ls'], without: 'HOLDFAST_WORKSPACE', says: /no workspace: set HOLDFAST_WORKSPACE/ },
    { args: ['ls'], without: 'HOLDFAST_TOKEN', says: /no token: set HOLDFAST_TOKEN_FILE/ },
    { args: ['ls', '--workspace', 'a b'], says: /not a name of 1 to 64/ },
    { args: ['ls', 'more'], says: /Unexpected argument 'more'/ },
    { args: ['snapshot', 'one', 'two'], says: /unexpected argument "two"/ },
    { args: ['new', 'make'], says: /put the command after `--`/ },
    { args: ['new', '--'], says: /no command given after `--`/ },
    { args: ['new', '--size', '0x9'], says: /--size needs/ },
    { args: ['new', '--env', '=x'], says: /--env needs name=value/ },
    { args: ['send', 'x', '--key', 'hyper-x'], says: /unknown key "hyper-x"/ },
    { args: ['wait', 'x', '--text', '('], says: /--text needs a regular expression/ },
    { args: ['wait', 'x', '--timeout', 'soon'], says: /--timeout needs seconds/ },
    { args: ['snapshot', '--format', 'pdf'], says: /--format must be text, ansi or html/ },
    { args: ['snapshot', '--command', 'make'], says: /--command must be the number of a command/ },
    { args: ['snapshot', '--command', '1', '--history'], says: /exclude each other/ },
    { args: ['audit', '--since', 'yesterday'], says: /--since needs a time like/ },
    { args: ['audit', '--limit', '0'], says: /--limit needs a number from 1 to 10000/ },
    { args: ['audit', '--limit', '10001'], says: /--limit needs a number from 1 to 10000/ },
    { args: ['share', '--all', 'x'], says: /give either a session or --all/ },
    { args: ['share', '--all', '--role', 'agent'], says: /--role must be operator or viewer/ },
    { args: ['share', '--all', '--expires', '59s'], says: /--expires must be between 1m and 30d/ },
    { args: ['share', '--all', '--expires', '31d'], says: /--expires must be between 1m and 30d/ },
    { args: ['share', '--all', '--label', 'x'.repeat(65)], says: /--label takes at most 64 characters/ },
    { args: ['kill'], says: /no session given/ },
    { args: ['attach', '--detach-key', 'x'], says: /key/ },
    { args: ['completion', 'csh'], says: /bash, zsh or fish/ },
    { args: ['relay', '--port', 'http'], says: /PORT is "http", which is not a port number/ },
    { args: ['relay', '--cert', 'x'], says: /give --cert and --key together/ },
    { args: ['relay', '--cert', '/nowhere', '--key', 'x'], says: /cannot be read \(ENOENT\)/ },
    { args: ['relay', '--cert', 'package.json', '--key', 'x'], says: /package\.json holds no certificate/ },
    { args: ['relay', '--public-url', 'https://example.com/path'], says: /not an address like/ },
    { args: ['relay', '--public-url', 'http://example.com'], says: /must be https/ },
    { args: ['up', '--port', 'http'], says: /^holdfast up: PORT is "http", which is not a port number/ },
    { args: ['up', '--cert', 'x'], says: /give --cert and --key together/ },
    { args: ['up', 'more'], says: /Unexpected argument 'more'/ },
    { args: ['up', '--service', '--port', '0'], says: /--service needs a port that stays/ },
    { args: ['down', '../up'], says: /is not the name of a service/ },
    { args: ['lss'], says: /^holdfast: unknown command "lss"; did you mean "ls"\?\n/ },
    { args: ['frobnicate'], says: /^holdfast: unknown command "frobnicate"; commands are ls, new, / },
    { args: [], says: /^holdfast: no command given; commands are ls, / },
  ])('$args prints one sentence and exits with 2 $without', async ({ args, without, says }) => {
    if (without !== undefined) vi.stubEnv(without, '');
    expect(await dispatchCommand(args)).toBe(2);
    expect([said.out, said.err]).toEqual(['', expect.stringMatching(says)]);
    expect(said.err).toMatch(/^holdfast[^\n]*\n`holdfast[^\n]* --help` explains\.\n$/);
  });
});

describe('a mistyped name', () => {
  it.each([
    ['lss', 'ls'],
    ['atach', 'attach'],
    ['nwe', 'new'],
    ['snapshto', 'snapshot'],
    ['x', null],
    ['frobnicate', null],
    ['a'.repeat(100_000), null],
  ])('%.20s suggests %s', (typed, meant) => {
    expect(
      nearestName(
        typed,
        COMMANDS.map(({ name }) => name),
      ),
    ).toBe(meant);
  });
});

describe('a TLS key', () => {
  const dir = mkdtempSync(join(tmpdir(), 'holdfast-key-'));
  afterAll(() => rmSync(dir, { recursive: true }));

  it('that everybody can read is refused; one that a group can read is accepted', async () => {
    const [cert, key] = [join(dir, 'cert.pem'), join(dir, 'key.pem')];
    writeFileSync(cert, CERTIFICATE);
    writeFileSync(key, CERTIFICATE_KEY);
    // A port that is in use ends it before anything starts; the key is checked before.
    const args = ['relay', '--cert', cert, '--key', key, '--host', '203.0.113.7'];
    chmodSync(key, 0o644);
    expect(await dispatchCommand(args)).toBe(2);
    expect(said.err).toMatch(/key\.pem may be read by everybody \(mode 644\); run chmod 640 or 600/);
    chmodSync(key, 0o640);
    expect(await dispatchCommand(args)).toBe(1);
    expect(said.err).toMatch(/203\.0\.113\.7, which is not an address of this machine/);
  });
});

describe('help', () => {
  it.each(COMMANDS.filter((command) => !command.readsItsOwn))(
    '$name prints its help with an example',
    async (command) => {
      expect(await dispatchCommand([command.name, '--help'])).toBe(0);
      expect(said.out).toBe(`${helpOf(command)}\n`);
      expect(said.out).toMatch(/^usage: holdfast [\s\S]*\nExamples:\n {2}\S/);
      for (const line of said.out.split('\n')) expect(line.length, line).toBeLessThanOrEqual(125);
    },
  );

  it('arguments after `--` are passed to the program', async () => {
    expect(await dispatchCommand(['new', '--size', 'x', '--', 'ls', '--help'])).toBe(2);
  });

  it('the agent lists its settings, and its doctor what it checks', async () => {
    expect(await dispatchCommand(['agent', '--help'])).toBe(0);
    expect(said.out).toMatch(/^usage: holdfast agent [\s\S]*PTY_ORPHAN_GRACE_PERIOD/);
    expect(await dispatchCommand(['agent', 'doctor', '--help'])).toBe(0);
    expect(said.out).toMatch(/usage: holdfast agent doctor/);
  });
});
