/** The commands of a page of the docs, as a reader pastes them, and what each needs to run. Pure. */

/**
 * The pages whose commands `npx node test/docs/run.ts` runs, in this order: each continues from the state that the
 * previous one left.
 */
export const PAGES = ['deploy.md', 'self-hosting.md', 'agent.md'] as const;

export interface PastedCommand {
  readonly page: string;
  readonly line: number;
  readonly text: string;
  readonly kind: Kind;
}

/**
 * `account`: needs one at Cloudflare, and is not run. `network`: downloads packages. `stays`: runs until it is stopped, so it is
 * stopped once it has said that it works. `plain`: ends by itself.
 */
export type Kind = 'account' | 'network' | 'stays' | 'plain';

const ACCOUNT =
  /\bwrangler (login|secret|versions|rollback|tail)\b|^npm run deploy\b|\bholdfast (deploy|invite|link)\b|<you>\.workers\.dev\/health/;
const NETWORK = /^npm (ci|install)\b/;
const STAYS = /^holdfast relay\b|(?:keeper|main)\.js'$/;

/** The commands of every block marked `sh`. A line that ends with a backslash continues in the next. */
export function pastedCommands(page: string, markdown: string): PastedCommand[] {
  const commands: PastedCommand[] = [];
  let isInside = false;
  let begun = '';
  for (const [index, text] of markdown.split('\n').entries()) {
    if (text.startsWith('```')) isInside = text === '```sh';
    else if (isInside && text.endsWith('\\')) begun += `${text.slice(0, -1)} `;
    else if (isInside && text.trim() !== '') {
      const command = withoutComment(begun + text);
      begun = '';
      commands.push({ page, line: index + 1, text: command, kind: kindOf(command) });
    }
  }
  return commands;
}

export function kindOf(text: string): Kind {
  if (ACCOUNT.test(text)) return 'account';
  if (STAYS.test(text)) return 'stays';
  return NETWORK.test(text) ? 'network' : 'plain';
}

/** A shell ignores it too; without it the report is easier to read. */
function withoutComment(text: string): string {
  return text.replace(/\s+# .*$/, '').trim();
}

/** Where a page cannot know what its reader has. */
export function filledIn(text: string, repository: string): string {
  return text.replaceAll('<this repository>', repository).replaceAll('<you>', 'you');
}
