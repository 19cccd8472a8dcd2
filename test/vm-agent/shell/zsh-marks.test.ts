// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are for the shell.
/** Zsh with what users and their themes put into its files: the marks stay, and so does what the user set. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { obstacleOf } from '../../../vm-agent/shell/marked-start.ts';
import { endsPrograms } from '../pty/real-shell.ts';
import {
  command,
  FIRST,
  marksIn,
  PROMPT,
  PromptShell,
  prompt,
  shellHere,
  withoutMarks,
} from './prompt-shell.ts';

endsPrograms();

const { isMissing, unless } = shellHere('zsh');
const rc = (...lines: string[]) => ({ '.zshrc': [`PS1='${PROMPT}'`, ...lines, ''].join('\n') });
const zsh = (...lines: string[]) => PromptShell.at('zsh', { files: rc(...lines) });

const FILES = ['.zshenv', '.zprofile', '.zshrc', '.zlogin'];

describe.skipIf(isMissing)(`the files of zsh${unless}`, () => {
  const noting = (folder = '') =>
    Object.fromEntries(
      FILES.map((name) => [`${folder}${name}`, `FILES+=" ${folder}${name}"\nPS1='${PROMPT}'\n`]),
    );

  it.each([
    { args: [], read: ' .zshenv .zshrc' },
    { args: ['-i'], read: ' .zshenv .zshrc' },
    { args: ['-l'], read: ' .zshenv .zprofile .zshrc .zlogin' },
    { args: ['--login', '--interactive'], read: ' .zshenv .zprofile .zshrc .zlogin' },
  ])('$args reads$read, and ZDOTDIR is not set', async ({ args, read }) => {
    const shell = await PromptShell.at('zsh', { args, files: noting() });
    expect(await shell.enter('echo "<$FILES|${ZDOTDIR-unset}|$(env | grep -c ZDOTDIR)>"\r')).toContain(
      `<${read}|unset|0>`,
    );
  });

  it('are those in the folder that the user’s .zshenv names', async () => {
    const files = { ...noting('config/'), '.zshenv': 'export ZDOTDIR=~/config\nFILES+=" .zshenv"\n' };
    const shell = await PromptShell.at('zsh', { files });
    expect(await shell.enter('echo "<$FILES>"\r')).toContain('< .zshenv config/.zshrc>');
    expect(await shell.marks('true\r')).toEqual(command(FIRST + 1, 0, 'true'));
  });

  it('are those in ZDOTDIR, if it was set, and it is set again', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'holdfast-zdotdir:'));
    writeFileSync(join(folder, '.zshenv'), `PS1='${PROMPT}'; SEEN=$ZDOTDIR\n`);
    const shell = await PromptShell.at('zsh', { files: {}, env: { ZDOTDIR: folder } });
    expect(await shell.enter('echo "<$SEEN>"; env | grep ZDOTDIR\r')).toContain(
      `<${folder}>\r\nZDOTDIR=${folder}`,
    );
    rmSync(folder, { recursive: true });
  });

  it('of a user who has none are enough', async () => {
    const shell = new PromptShell('zsh', { files: {} });
    expect(await shell.prints(`\x1b]133;${prompt}\x07`)).not.toContain('configuration');
  });
});

describe('a file of the system that sets ZDOTDIR', () => {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-zshenv-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  it('keeps zsh plain: our folder would not be read, or the user’s would not', () => {
    mkdirSync(join(folder, 'zsh'));
    const files = [join(folder, 'zshenv'), join(folder, 'zsh/zshenv')];
    expect(obstacleOf('zsh', files)).toBeNull();
    writeFileSync(join(folder, 'zsh/zshenv'), 'export PATH=/bin\n');
    expect(obstacleOf('zsh', files)).toBeNull();
    writeFileSync(join(folder, 'zsh/zshenv'), ': ${ZDOTDIR:=$HOME/.config/zsh}\n');
    expect(obstacleOf('zsh', files)).toBe(`${files[1]} sets ZDOTDIR`);
    expect(obstacleOf('bash', files)).toBeNull();
  });
});

describe.skipIf(isMissing)(`what a user of zsh has set${unless}`, () => {
  it('options do not apply to our functions', async () => {
    const shell = await zsh(
      'setopt ksh_arrays no_unset sh_word_split glob_subst warn_create_global no_clobber all_export',
    );
    expect(await shell.marks('true\r')).toEqual(command(FIRST, 0, 'true'));
    expect(await shell.marks('echo "a;%"\r')).toEqual(command(FIRST + 1, 0, 'echo "a%3B%25"'));
    expect(await shell.marks('setopt err_return posix_builtins\r')).toHaveLength(3);
    expect(await shell.marks('! true\r')).toEqual(command(FIRST + 3, 1, '! true'));
    expect(withoutMarks(await shell.enter('env\r'))).not.toContain('the-nonce');
    expect(withoutMarks(shell.everything)).not.toMatch(/_holdfast|not set/);
  });

  it('a command that the history is to ignore has no command line', async () => {
    const shell = await zsh('setopt hist_ignore_space');
    expect(await shell.marks(' true\r')).toEqual(command(FIRST, 0));
    expect(await shell.marks('true\r')).toEqual(command(FIRST + 1, 0, 'true'));
  });

  it('functions before a prompt have the status, and print between the end and the prompt', async () => {
    const shell = await zsh(
      'autoload -Uz add-zsh-hook',
      'mine() { echo "<$?>" }',
      'add-zsh-hook precmd mine',
    );
    const printed = await shell.enter('(exit 4)\r');
    expect(marksIn(printed)).toEqual(command(FIRST, 4, '(exit 4)'));
    const [, between] = printed.split(/133;[DA];/);
    expect(between).toContain('<4>');
  });

  it('a file that assigns precmd_functions removes ours until the first command', async () => {
    const shell = await zsh('mine() { echo "<$?>" }', 'precmd_functions=(mine)');
    expect(marksIn(shell.seen)).toEqual([]);
    expect(await shell.marks('false\r')).toEqual(command(FIRST, 1, 'false'));
    expect(await shell.marks('true\r')).toEqual(command(FIRST + 1, 0, 'true'));
    expect(shell.seen).toMatch(/<1>[\s\S]*<0>/);
  });

  const starship = [
    'autoload -Uz add-zsh-hook',
    'theme_precmd() { STATUS=$? PARTS="${pipestatus[*]}"; PROMPT="%B[$STATUS|$PARTS]%b READY> "; RPROMPT="${STARTED+took}" }',
    'theme_preexec() { STARTED=1 }',
    'add-zsh-hook precmd theme_precmd; add-zsh-hook preexec theme_preexec; setopt prompt_subst',
  ];
  // Prints a prompt early, and sends all output elsewhere until the first real one.
  const instant = [
    'print -n "early prompt"; exec {out}>&1 {err}>&2 1>~/during-start 2>&1; print word',
    'finish() { exec 1>&$out 2>&$err; print -n "\\r\\e[J"; precmd_functions=(${precmd_functions:#finish}) }',
    'theme() { PROMPT="[$?] READY> " }',
    'precmd_functions=(theme $precmd_functions finish)',
  ];
  const plain = ['precmd() { print -P "%~" }', 'preexec() { print "-- $1" }', 'RPS1="%?"'];

  it.each([
    { name: 'a theme with hooks', lines: starship },
    { name: 'a theme that prints its first prompt early', lines: instant },
    { name: 'precmd and preexec', lines: plain },
  ])('$name: all that is shown is the same, byte for byte', async ({ lines }) => {
    const keys = [
      'true\r',
      'false | true\r',
      'false\r',
      '\r',
      'cd /\r',
      'print -r -- "${PROMPT//READY/ready}" "$RPROMPT"\r',
    ];
    const story = async (isPlain: boolean) => {
      const shell = await PromptShell.at('zsh', { files: rc('unsetopt beep', ...lines), plain: isPlain });
      for (const each of keys) await shell.enter(each);
      return shell;
    };
    const marked = await story(false);
    expect(withoutMarks(marked.seen)).toBe((await story(true)).seen);
    expect(marksIn(marked.everything).filter((mark) => mark === prompt)).toHaveLength(keys.length + 1);
    if (lines === instant) expect(readFileSync(join(marked.home, 'during-start'), 'utf8')).toBe('word\n');
  });

  it('output that goes to a file has no marks', async () => {
    const shell = await zsh();
    await shell.enter('exec >printed\r');
    expect(await shell.marks('echo word\r')).toEqual(command(FIRST + 1, 0, 'echo word'));
    const printed = readFileSync(join(shell.home, 'printed'), 'utf8');
    expect([printed.includes('word'), marksIn(printed)]).toEqual([true, []]);
  });

  it('a nested zsh is plain, and the outer one goes on', async () => {
    const shell = await zsh();
    await shell.enter('zsh\r');
    expect(await shell.enter('echo inside\r')).not.toMatch(/133;|holdfast/);
    expect(await shell.marks('exit\r')).toEqual([`D;0;nonce=the-nonce-of-a-session;n=${FIRST}`, prompt]);
  });
});
