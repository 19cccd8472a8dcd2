import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readTokenFile } from '../../../node/token-file.ts';
import { defaultShell, shellEnvironment } from '../../../vm-agent/pty/shell-environment.ts';
import { readConfig, SETTINGS } from '../../../vm-agent/settings/config.ts';
import { parseEnvFile } from '../../../vm-agent/settings/env-file.ts';
import { helpText } from '../../../vm-agent/settings/help-text.ts';

const NEEDED = {
  HOLDFAST_RELAY: 'https://relay.example',
  HOLDFAST_WORKSPACE: 'ws',
  HOLDFAST_TOKEN_FILE: '/token',
};

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'holdfast-config-'));
});
afterEach(() => rmSync(dir, { recursive: true }));

describe('settings', () => {
  it('[P1] have defaults', () => {
    expect(readConfig([], NEEDED)).toMatchObject({
      outputBufferBytes: 262_144,
      maxSessions: 64,
      workspace: 'ws',
    });
  });

  it('[P1] flags override the environment, the environment overrides the file', () => {
    const file = join(dir, 'agent.env');
    writeFileSync(file, 'PTY_MAX_SESSIONS=1\nPTY_OUTPUT_BUFFER_SIZE=2048\nHOLDFAST_WORKSPACE=from-file\n');
    const config = readConfig(['--env-file', file, '--max-sessions=3'], { ...NEEDED, PTY_MAX_SESSIONS: '2' });
    expect(config).toMatchObject({ maxSessions: 3, outputBufferBytes: 2048, workspace: 'ws' });
  });

  it.each([
    [
      { PTY_OUTPUT_BUFFER_SIZE: '-1' },
      'PTY_OUTPUT_BUFFER_SIZE is "-1", which is not a number of bytes from 1024 to 67108864.',
    ],
    [
      { PTY_OUTPUT_BUFFER_SIZE: '256k' },
      'PTY_OUTPUT_BUFFER_SIZE is "256k", which is not a number of bytes from 1024 to 67108864.',
    ],
    [{ HOLDFAST_RELAY: 'relay' }, 'HOLDFAST_RELAY is "relay", which is not an http:// or https:// address.'],
    [
      { HOLDFAST_WORKSPACE: 'a b' },
      'HOLDFAST_WORKSPACE is "a b", which is not a name of 1 to 64 letters, digits, - and _.',
    ],
    [
      { HOLDFAST_TOKEN_FILE: undefined },
      'HOLDFAST_TOKEN_FILE is missing: give the path of a file in HOLDFAST_TOKEN_FILE or --token-file.',
    ],
  ])('[P1] a bad value is reported in one sentence that names it: %o', (wrong, sentence) => {
    expect(() => readConfig([], { ...NEEDED, ...wrong })).toThrow(sentence);
  });

  /** One bad value for each setting; a new setting without one does not compile. */
  const BAD: { readonly [K in keyof typeof SETTINGS]: string } = {
    relay: 'relay.example',
    workspace: 'a/b',
    tokenFile: '',
    keyFile: '',
    healthPort: '65536',
    region: 'mars',
    outputBufferBytes: '256k',
    scrollbackLines: '-1',
    widths: 'graphemes',
    shellMarks: 'yes',
    stateDir: 'relative/path',
    stateQuotaBytes: '1e9',
    orphanGraceSeconds: '1.5',
    idleTimeoutSeconds: 'never',
    exitedKeepSeconds: '31536001',
    maxSessions: '0',
    maxSessionsPolicy: 'evict',
  };

  it.each(Object.entries(BAD))(
    '[P1] %s %j is reported with variable, value and what is expected, wherever it came from',
    (name, bad) => {
      const { variable, flag, wanted } = SETTINGS[name as keyof typeof SETTINGS];
      const sentence = `${variable} is ${JSON.stringify(bad)}, which is not ${wanted}.`;
      const file = join(dir, 'agent.env');
      writeFileSync(file, `${variable}=${bad}\n`);
      const { [variable]: _, ...others } = NEEDED as Record<string, string>;
      expect(() => readConfig([flag, bad], NEEDED)).toThrow(sentence);
      expect(() => readConfig([`${flag}=${bad}`], NEEDED)).toThrow(sentence);
      expect(() => readConfig([], { ...NEEDED, [variable]: bad })).toThrow(sentence);
      expect(() => readConfig(['--env-file', file], others)).toThrow(sentence);
    },
  );

  it('[P1] a settings file that cannot be read is reported in a sentence', () => {
    expect(() => readConfig(['--env-file', dir], NEEDED)).toThrow(
      `The settings file ${dir} cannot be read (EISDIR); make it a file that this user may read.`,
    );
  });

  it('[P1] an unknown flag, a flag without a value and a missing file are reported', () => {
    expect(() => readConfig(['--colour', 'red'], NEEDED)).toThrow('unknown option --colour');
    expect(() => readConfig(['--relay'], NEEDED)).toThrow('--relay needs a value');
    expect(() => readConfig(['red'], NEEDED)).toThrow('unknown option red; options are --env-file, --relay,');
    expect(() => readConfig(['-r=x'], NEEDED)).toThrow('unknown option -r; options');
    expect(() => readConfig(['-vr'], NEEDED)).toThrow('unknown option -vr; options');
    expect(() => readConfig(['--'], NEEDED)).toThrow('unknown option --; options');
    expect(() => readConfig(['--no-relay'], NEEDED)).toThrow('unknown option --no-relay; options');
    expect(() => readConfig(['--env-file', '/nowhere'], NEEDED)).toThrow('/nowhere, which does not exist');
  });

  it('[P1] a flag may be given twice, and its value may begin with a dash or contain an equals sign', () => {
    const args = ['--max-sessions', '2', '--token-file', '-x', '--key-file=/a=b', '--max-sessions=3'];
    expect(readConfig(args, NEEDED)).toMatchObject({ maxSessions: 3, tokenFile: '-x', keyFile: '/a=b' });
    expect(readConfig(['--token-file', '--relay'], NEEDED).tokenFile).toBe('--relay');
  });

  it('[P1] a value in a settings file ends with its line, and may contain a #', () => {
    const text = 'A=/srv/a#b\nB="open\nC=`c`\nno setting\nD=\'x\'y\nE="a" # b\n';
    expect(Object.fromEntries(parseEnvFile(text))).toEqual({
      A: '/srv/a#b',
      B: '"open',
      C: '`c`',
      D: "'x'y",
      E: '"a" # b',
    });
  });

  it('[P1] a settings file may have comments, exports and quotes', () => {
    const text = '# comment\nA=1\n export B="two words"\nC=\'x\'\nnot a line\nD = spaced \n';
    expect(Object.fromEntries(parseEnvFile(text))).toEqual({ A: '1', B: 'two words', C: 'x', D: 'spaced' });
  });
});

describe('texts for operators', () => {
  it('[P1] help names every setting', () => {
    for (const { flag, variable, meaning } of Object.values(SETTINGS)) {
      for (const text of [flag, variable, meaning]) expect(helpText()).toContain(text);
    }
  });

  it('[P1] the example file names every setting with its default, and can be read', () => {
    const example = readFileSync(
      new URL('../../../vm-agent/install/agent.env.example', import.meta.url),
      'utf8',
    );
    const values = parseEnvFile(example.replaceAll(/^#(?=[A-Z_]+=)/gm, ''));
    for (const setting of Object.values(SETTINGS)) {
      const { variable, fallback } = setting;
      expect(values.has(variable), variable).toBe(true);
      if (fallback !== undefined && !('fallbackText' in setting))
        expect(values.get(variable), variable).toBe(`${fallback}`);
    }
    expect(() => readConfig([], Object.fromEntries(values))).not.toThrow();
  });
});

describe('the token file', () => {
  it('is refused with a sentence if others can read it, if it is empty, and if it is missing', () => {
    const file = join(dir, 'token');
    expect(readTokenFile(file)).toMatchObject({ ok: false, why: expect.stringContaining('ENOENT') });
    writeFileSync(file, 'secret\n', { mode: 0o644 });
    expect(readTokenFile(file)).toMatchObject({ ok: false, why: expect.stringContaining('chmod 600') });
    const own = join(dir, 'own');
    writeFileSync(own, ' \n', { mode: 0o600 });
    expect(readTokenFile(own)).toMatchObject({ ok: false, why: expect.stringContaining('empty') });
    writeFileSync(own, 'secret\n');
    expect(readTokenFile(own)).toEqual({ ok: true, token: 'secret' });
  });

  it.each([
    ['two tokens', 'a.b.c\nd.e.f\n', 'has more than one line; keep only the token, on one line.'],
    ['another dash', 'a.b.\u2014', 'has a space or a character that no token has; copy the token again.'],
  ])('is refused with %s in it; the sentence says what to do and nothing about the token', (_, text, why) => {
    const file = join(dir, 'token');
    writeFileSync(file, text, { mode: 0o600 });
    expect(readTokenFile(file)).toEqual({ ok: false, why: `The token file ${file} ${why}` });
  });
});

describe("a shell's environment", () => {
  it('has only the listed variables of the agent, and names our terminal', () => {
    const env = shellEnvironment({
      PATH: '/bin',
      HOME: '/home/ann',
      HOLDFAST_TOKEN_FILE: '/t',
      SECRET: 's',
      LD_PRELOAD: 'x',
    });
    expect(env).toEqual({
      PATH: '/bin',
      HOME: '/home/ann',
      TERM: 'xterm-256color',
      COLORTERM: 'truecolor',
      TERM_PROGRAM: 'holdfast',
      LC_CTYPE: expect.stringMatching(/UTF-8/),
    });
  });

  it('keeps a UTF-8 locale and replaces any other', () => {
    expect(shellEnvironment({ LANG: 'de_DE.UTF-8' })).toMatchObject({ LANG: 'de_DE.UTF-8' });
    expect(shellEnvironment({ LANG: 'de_DE.UTF-8' })).not.toHaveProperty('LC_CTYPE');
    expect(shellEnvironment({ LC_ALL: 'C' })).not.toHaveProperty('LC_ALL');
    expect(shellEnvironment({ LC_ALL: 'C' }).LC_CTYPE).toMatch(/UTF-8/);
  });

  it('the shell is the login shell of the user', () => {
    expect(defaultShell({ SHELL: '/bin/zsh' })).toBe('/bin/zsh');
    expect(defaultShell({})).toMatch(/^\//);
  });
});
