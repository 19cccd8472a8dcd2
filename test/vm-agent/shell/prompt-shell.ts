/** A real shell at its prompt, in a home of its own, as the agent starts it; and the marks that it prints. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll } from 'vitest';
import { shellEnvironment } from '../../../vm-agent/pty/shell-environment.ts';
import type { MarkedShell } from '../../../vm-agent/shell/marked-start.ts';
import { ScriptFolder } from '../../../vm-agent/shell/script-folder.ts';
import { shellMarks } from '../../../vm-agent/shell/shell-marks.ts';
import { onPath, unlessMissing } from '../../support/on-path.ts';
import { run, until } from '../pty/real-shell.ts';

export const NONCE = 'the-nonce-of-a-session';
export const FIRST = 7;

/** What every prompt of these tests ends with. */
export const PROMPT = 'READY> ';

const root = mkdtempSync(join(tmpdir(), 'holdfast-marks-'));
afterAll(() => rmSync(root, { recursive: true }));

export const scripts = new ScriptFolder(join(root, 'scripts'));

/** What a test of this shell needs: where it is, and what its name says if it is missing. */
export function shellHere(name: string): { readonly isMissing: boolean; readonly unless: string } {
  const path = onPath(name);
  return { isMissing: path === undefined, unless: unlessMissing(name, path) };
}

const PROMPT_FILES: Readonly<Record<MarkedShell, Readonly<Record<string, string>>>> = {
  bash: { '.bashrc': `PS1='${PROMPT}'\n` },
  zsh: { '.zshrc': `PS1='${PROMPT}'\n` },
  fish: {
    '.config/fish/config.fish': `set -g fish_greeting\nfunction fish_prompt; echo -n '${PROMPT}'; end\n`,
  },
};

interface Start {
  readonly args?: readonly string[];
  /** The user's files, instead of one that sets the prompt. */
  readonly files?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
  /** Started as it is, without our script. */
  readonly plain?: boolean;
  readonly scripts?: URL;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: marks begin and end with one.
const MARK = /\x1b\]133;([^\x07]*)\x07/g;

export const marksIn = (text: string): string[] => [...text.matchAll(MARK)].map(([, mark = '']) => mark);
/** What bash and zsh print before the mark of a prompt: the usual keys. */
export const USUAL_KEYS = '\x1b[=0u\x1b[>4m';
export const withoutMarks = (text: string): string => text.replaceAll(MARK, '').replaceAll(USUAL_KEYS, '');

export class PromptShell {
  readonly home: string;
  readonly warnings: string[] = [];
  readonly #session: ReturnType<typeof run>;
  #read = 0;

  constructor(shell: MarkedShell, start: Start = {}) {
    this.home = mkdtempSync(join(root, 'home-'));
    // Otherwise fish reads all manuals of the machine at its first start.
    mkdirSync(join(this.home, '.local/share/fish/generated_completions'), { recursive: true });
    for (const [name, content] of Object.entries(start.files ?? PROMPT_FILES[shell]))
      this.write(name, content);
    const { PATH = '' } = process.env;
    const env = { ...shellEnvironment({ PATH, HOME: this.home }), ...start.env };
    const spec = {
      command: shell,
      args: start.args ?? [],
      cwd: this.home,
      env,
      size: { cols: 200, rows: 50 },
    };
    const mark = shellMarks({
      folder: scripts,
      without: (_shell, why) => this.warnings.push(why),
      ...(start.scripts === undefined ? {} : { scripts: start.scripts }),
    });
    this.#session = run('', start.plain ? spec : mark(spec, { nonce: NONCE, firstNumber: FIRST }));
  }

  /** Started, and at its first prompt. */
  static async at(shell: MarkedShell, start: Start = {}): Promise<PromptShell> {
    const opened = new PromptShell(shell, start);
    await opened.prompted();
    return opened;
  }

  write(name: string, content: string): void {
    mkdirSync(dirname(join(this.home, name)), { recursive: true });
    writeFileSync(join(this.home, name), content);
  }

  /** What was printed up to the next prompt. */
  async prompted(): Promise<string> {
    return this.prints(PROMPT);
  }

  /** What was printed up to and including `text`. */
  async prints(text: string): Promise<string> {
    const from = this.#read;
    const output = () => this.#session.output().toString().slice(from);
    await until(() => output().includes(text));
    const printed = output();
    const end = printed.indexOf(text) + text.length;
    this.#read = from + end;
    return printed.slice(0, end);
  }

  /** Types, and returns what was printed up to the next prompt. */
  enter(keys: string): Promise<string> {
    this.type(keys);
    return this.prompted();
  }

  /** Types, and returns the marks up to that of the next prompt. Shells draw a prompt more than once. */
  async marks(keys: string): Promise<string[]> {
    this.type(keys);
    const printed = await this.prints(`\x1b]133;${prompt}\x07`);
    await this.prompted();
    return marksIn(printed);
  }

  type(keys: string): void {
    this.#session.pty.write(Buffer.from(keys), () => {});
  }

  /** All that was printed up to the last prompt, or whatever else was waited for. */
  get seen(): string {
    return this.everything.slice(0, this.#read);
  }

  get everything(): string {
    return this.#session.output().toString();
  }

  get foreground(): string | null {
    return this.#session.pty.foreground();
  }

  get exit() {
    return this.#session.exit;
  }
}

const nonce = `nonce=${NONCE}`;
export const prompt = `A;${nonce}`;
export const accepted = (n: number, line?: string): string =>
  `C;${nonce};n=${n}${line === undefined ? '' : `;cmdline_url=${line}`}`;
export const ended = (n: number, code: number): string => `D;${code};${nonce};n=${n}`;

/** The marks of one whole command. */
export const command = (n: number, code: number, line?: string): string[] => [
  accepted(n, line),
  ended(n, code),
  prompt,
];
