// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are for the shell.
/** Bash with what users put into their files: the marks stay, and so does what the user set. */
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { endsPrograms } from '../pty/real-shell.ts';
import {
  accepted,
  command,
  FIRST,
  PROMPT,
  PromptShell,
  prompt,
  shellHere,
  withoutMarks,
} from './prompt-shell.ts';

endsPrograms();

const { isMissing, unless } = shellHere('bash');
const rc = (...lines: string[]) => ({ '.bashrc': [`PS1='${PROMPT}'`, ...lines, ''].join('\n') });
const bash = (...lines: string[]) => PromptShell.at('bash', { files: rc(...lines) });

/** The script as it would work in a bash that has no PROMPT_COMMAND of several parts. */
const scripts = mkdtempSync(join(tmpdir(), 'holdfast-older-bash-'));
afterAll(() => rmSync(scripts, { recursive: true }));
const older = pathToFileURL(`${scripts}/`);
const source = new URL('../../../vm-agent/shell/scripts/', import.meta.url);
cpSync(source, scripts, { recursive: true });
const modern = readFileSync(join(scripts, 'marks.bash'), 'utf8');
writeFileSync(
  join(scripts, 'marks.bash'),
  modern.replace('_holdfast_version < 501', '_holdfast_version < 9999'),
);

describe.skipIf(isMissing)(`the command line that bash tells${unless}`, () => {
  it.each([
    { control: '', repeats: true, hidden: ' true' },
    { control: 'ignoredups', repeats: true, hidden: ' true' },
    { control: 'erasedups', repeats: true, hidden: ' true' },
    { control: 'ignorespace', repeats: true, hidden: undefined },
    { control: 'ignoreboth', repeats: false, hidden: undefined },
    { control: 'ignorespace:erasedups', repeats: false, hidden: undefined, other: undefined },
  ])('HISTCONTROL=$control', async ({ control, repeats, hidden, ...rest }) => {
    const shell = await bash(`HISTCONTROL=${control}`);
    expect(await shell.marks('false\r')).toEqual(command(FIRST, 1, 'false'));
    expect(await shell.marks('true\r')).toEqual(command(FIRST + 1, 0, 'true'));
    // The history may not tell a repeated command from one that it does not keep.
    expect(await shell.marks('true\r')).toEqual(command(FIRST + 2, 0, repeats ? 'true' : undefined));
    expect(await shell.marks(' true\r')).toEqual(command(FIRST + 3, 0, hidden));
    // With erasedups, the entry of an earlier one is gone, so the number of entries is the same.
    const other = 'other' in rest ? rest.other : 'false';
    expect(await shell.marks('false\r')).toEqual(command(FIRST + 4, 1, other));
  });

  it('is left out if the history does not have it', async () => {
    const shell = await bash("HISTIGNORE='secret*'", 'HISTCONTROL=ignoredups');
    expect(await shell.marks('true\r')).toEqual(command(FIRST, 0, 'true'));
    expect(await shell.marks('secret 2>&-\r')).toEqual(command(FIRST + 1, 127));
    expect(await shell.marks('set +o history\r')).toEqual(command(FIRST + 2, 0, 'set +o history'));
    expect(await shell.marks('true\r')).toEqual(command(FIRST + 3, 0));
  });

  it('is left out if the history has its lines as entries', async () => {
    const shell = await bash('shopt -u cmdhist');
    expect(await shell.marks('echo "a\rb"\r')).toEqual(command(FIRST, 0));
    expect(await shell.marks('true\r')).toEqual(command(FIRST + 1, 0, 'true'));
  });

  it('is what was typed, with times in the history, a full one, and one that others write to', async () => {
    const shell = await bash(
      "HISTTIMEFORMAT='%F %T '",
      'HISTSIZE=2',
      "PROMPT_COMMAND='history -a; history -n'",
    );
    const lines = ['true', 'echo 12  34', 'false', 'true', 'true'];
    for (const [at, line] of lines.entries())
      expect((await shell.marks(`${line}\r`))[0]).toBe(accepted(FIRST + at, line));
  });
});

describe.skipIf(isMissing)(`what a user of bash has set${unless}`, () => {
  it.each([
    'PROMPT_COMMAND=\'LAST="$? ${PIPESTATUS[*]}"\'',
    'PROMPT_COMMAND=(true \'LAST="$? ${PIPESTATUS[*]}"\')',
    'export PROMPT_COMMAND=\'LAST="$? ${PIPESTATUS[*]}"\'',
  ])('%s has the status of the command and of its parts', async (line) => {
    const shell = await bash(line);
    expect(await shell.marks('false | (exit 4)\r')).toEqual(command(FIRST, 4, 'false | (exit 4)'));
    expect(await shell.enter('echo "<$LAST>"\r')).toContain('<4 1 4>');
  });

  it('PS0 is printed after our mark, also if it is set later, and stays what it is without promptvars', async () => {
    const shell = await bash("PS0='<own>'");
    expect(await shell.enter('true\r')).toContain(`\x1b]133;${accepted(FIRST, 'true')}\x07<own>`);
    await shell.enter("PS0='<other>'\r");
    expect(await shell.enter('true\r')).toContain(`\x1b]133;${accepted(FIRST + 2, 'true')}\x07<other>`);
    await shell.enter('shopt -u promptvars\r');
    expect(await shell.enter('true\r')).not.toContain('holdfast');
  });

  it('a prompt made before each prompt, as themes do, is theirs byte for byte', async () => {
    const theme = [
      'theme() { local status=$? parts="${PIPESTATUS[*]}"; PS1="\\[\\e[1m\\][$status|$parts]\\[\\e[0m\\] READY> "; }',
      "PROMPT_COMMAND='theme'",
      "trap 'BEFORE=$BASH_COMMAND' DEBUG",
    ];
    const keys = [
      'true\r',
      'false | true\r',
      'false\r',
      '\r',
      'echo "$BEFORE"; echo "${PS1//READY/ready}"\r',
      'cd /\r',
    ];
    const printed = async (plain: boolean) => {
      const shell = await PromptShell.at('bash', { files: rc(...theme), plain });
      for (const each of keys) await shell.enter(each);
      return withoutMarks(shell.seen);
    };
    expect(await printed(false)).toBe(await printed(true));
  });

  it('PROMPT_COMMAND works as if ours were not there', async () => {
    const shell = await bash();
    expect(await shell.enter('echo "<${PROMPT_COMMAND-unset}>"\r')).toContain('<unset>');
    await shell.enter("PROMPT_COMMAND='echo one'\r");
    expect(await shell.enter('true\r')).toMatch(/one[\s\S]*READY/);
    await shell.enter('PROMPT_COMMAND="$PROMPT_COMMAND;echo two"\r');
    expect(await shell.enter('echo "<$PROMPT_COMMAND>"\r')).toContain('<echo one;echo two>');
    expect(await shell.marks('true\r')).toEqual(command(FIRST + 5, 0, 'true'));
    // Reading the file again is no reason to run anything twice.
    await shell.enter('PROMPT_COMMAND=; . ~/.bashrc\r');
    expect(await shell.marks('true\r')).toEqual(command(FIRST + 7, 0, 'true'));
  });

  it('all of PROMPT_COMMAND can be removed, and our marks with it', async () => {
    const shell = await bash();
    expect(await shell.enter('unset PROMPT_COMMAND\r')).toContain(accepted(FIRST, 'unset PROMPT_COMMAND'));
    expect(await shell.enter('echo done\r')).not.toContain('133;');
  });

  it.each(['readonly PROMPT_COMMAND=true', "readonly PS0='<own>'"])(
    '%s: no marks, and no errors',
    async (line) => {
      const shell = await bash(line);
      await shell.enter('true\r');
      expect(shell.everything).not.toMatch(/133;|readonly/);
    },
  );

  it('options do not apply to our functions', async () => {
    const shell = await bash('set -u -o posix');
    expect(await shell.marks('true\r')).toEqual(command(FIRST, 0, 'true'));
    await shell.marks('set -euaC; shopt -s failglob nullglob nocasematch\r');
    expect(await shell.marks('! true\r')).toEqual(command(FIRST + 2, 1, '! true'));
    const traced = await shell.enter('set -x\r');
    expect(withoutMarks(traced)).not.toMatch(/printf|nonce/);
    const env = withoutMarks(await shell.enter('env\r'));
    expect(env).toContain('HOME=');
    expect(env).not.toContain('the-nonce');
    // What PS0 assigns is exported with -a; it says nothing.
    expect(env.match(/^_holdfast\w+=.*/gm)).toEqual(['_holdfast_armed=0']);
  });

  it('output that goes to a file has no marks', async () => {
    const shell = await bash();
    shell.type('exec >printed\r');
    await shell.prompted();
    expect(await shell.marks('echo word\r')).toEqual(command(FIRST + 1, 0, 'echo word'));
    expect(readFileSync(join(shell.home, 'printed'), 'utf8')).toBe('word\n');
  });

  it('a DEBUG trap sees its commands and one function of ours', async () => {
    const shell = await bash('trap \'[[ $BASH_COMMAND == _holdfast* ]] || echo "<$BASH_COMMAND>"\' DEBUG');
    expect(withoutMarks(await shell.enter('true; false\r')).match(/<[^>]*>/g)).toEqual(['<true>', '<false>']);
  });
});

describe.skipIf(isMissing)(`other shells in bash${unless}`, () => {
  it('a nested bash is plain, and the outer one goes on', async () => {
    const shell = await bash("export PS0='<own>' PROMPT_COMMAND");
    await shell.enter('bash\r');
    const nested = await shell.enter('echo inside\r');
    expect(nested).not.toMatch(/133;|holdfast/);
    expect(await shell.marks('exit\r')).toEqual([`D;0;nonce=the-nonce-of-a-session;n=${FIRST}`, prompt]);
  });

  it.each(['bash', 'sh'])('exec %s in the user’s file leaves nothing of ours', async (name) => {
    const files = { '.bashrc': `[ -n "$AGAIN" ] || AGAIN=1 PS1='${PROMPT}' exec ${name}\nPS1='${PROMPT}'\n` };
    const shell = await PromptShell.at('bash', { files });
    await shell.enter('env; echo inside\r');
    expect(shell.everything).not.toMatch(/133;|HOLDFAST|the-nonce/);
  });

  it('a subshell prints no marks', async () => {
    const shell = await bash();
    expect(await shell.marks('(true; false; (exit 5))\r')).toEqual(
      command(FIRST, 5, '(true%3B false%3B (exit 5))'),
    );
  });
});

describe.skipIf(isMissing)(`bash before 5.1${unless}`, () => {
  const start = (...lines: string[]) => PromptShell.at('bash', { files: rc(...lines), scripts: older });

  it('has its marks around the user’s PROMPT_COMMAND, which has the status', async () => {
    const shell = await start("PROMPT_COMMAND='LAST=$?; false'");
    expect(await shell.marks('(exit 4)\r')).toEqual(command(FIRST, 4, '(exit 4)'));
    expect(await shell.enter('echo "<$LAST>"\r')).toContain('<4>');
    expect(await shell.enter('(exit 6)\r')).toContain(`D;6;nonce`);
    expect(await shell.enter('echo "<$?>"\r')).toContain('<6>');
  });

  it('does not end with -e', async () => {
    const shell = await start('set -e');
    expect(await shell.marks('! true\r')).toEqual(command(FIRST, 1, '! true'));
    expect(await shell.marks('true\r')).toEqual(command(FIRST + 1, 0, 'true'));
  });

  it('has no marks if PROMPT_COMMAND is exported: other shells would inherit it', async () => {
    const shell = await start('export PROMPT_COMMAND=true');
    expect(await shell.enter('true\r')).not.toContain('133;');
  });
});

describe.skipIf(isMissing)(`a login shell of bash${unless}`, () => {
  const files = { ...rc('FILES+=" rc"'), '.profile': 'FILES+=" profile"\n' };

  it.each([
    { args: [], names: [], read: ' rc' },
    { args: ['-i'], names: [], read: ' rc' },
    { args: ['-l'], names: [], read: ' profile' },
    { args: ['--login', '-i'], names: ['.bash_login'], read: ' .bash_login' },
    { args: ['-il'], names: ['.bash_login', '.bash_profile'], read: ' .bash_profile' },
  ])('$args with $names reads$read, as bash does', async ({ args, names, read }) => {
    const own = Object.fromEntries(names.map((name) => [name, `FILES+=" ${name}"\n`]));
    const start = { args, files: { ...files, ...own }, env: { PS1: PROMPT } };
    for (const plain of [false, true]) {
      const shell = new PromptShell('bash', { ...start, plain });
      shell.type(`PS1='${PROMPT}'; echo "<$FILES>"\r`);
      expect(await shell.prints(`<${read}>`)).toContain(read);
    }
  });

  it('ends with ~/.bash_logout, before the user’s own trap, and with the same code', async () => {
    const end = { '.profile': `PS1='${PROMPT}'\ntrap 'echo "trap:$?" >>ended' EXIT\n` };
    const logout = { '.bash_logout': 'echo logout >>ended\n' };
    for (const keys of ['logout 3\r', 'exit 3\r']) {
      const shell = new PromptShell('bash', { args: ['-l'], files: { ...end, ...logout } });
      await shell.prompted();
      shell.type(keys);
      expect((await shell.exit).code).toBe(3);
      expect(readFileSync(join(shell.home, 'ended'), 'utf8')).toBe('logout\ntrap:3\n');
    }
  });

  it('is the only one that reads ~/.bash_logout', async () => {
    const shell = await PromptShell.at('bash', { files: { ...rc(), '.bash_logout': 'echo x >ended\n' } });
    shell.type('exit\r');
    await shell.exit;
    expect(existsSync(join(shell.home, 'ended'))).toBe(false);
  });
});
