/** The docs have no dead links (to a page, an anchor, a file or a picture), and every page can be reached. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, it } from 'vitest';
import { anchorsIn, linksIn } from './doc-links.ts';
import { ROOT } from './imports.ts';

const tracked = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { cwd: ROOT })
  .toString()
  .trim()
  .split('\n');
const pages = tracked.filter((file) => file.endsWith('.md'));
const textOf = (page: string) => readFileSync(join(ROOT, page), 'utf8');

interface Link {
  readonly page: string;
  readonly target: string;
  readonly file: string;
  readonly anchor: string | undefined;
}

const links: readonly Link[] = pages.flatMap((page) =>
  linksIn(textOf(page))
    .filter((target) => !/^[a-z]+:/i.test(target))
    .map((target) => {
      const [path = '', anchor] = target.split('#');
      const file = path === '' ? page : normalize(join(dirname(page), decodeURIComponent(path)));
      return { page, target, file, anchor };
    }),
);

const isBroken = ({ file, anchor }: Link) =>
  !existsSync(join(ROOT, file)) ||
  (anchor !== undefined && file.endsWith('.md') && !anchorsIn(textOf(file)).has(anchor));

describe('the docs', () => {
  it('have no dead link', () => {
    expect(links.length).toBeGreaterThan(50);
    expect(links.filter(isBroken).map(({ page, target }) => `${page}: ${target}`)).toEqual([]);
  });

  it('can all be reached from the README', () => {
    const reached = new Set(['README.md']);
    for (const page of reached)
      for (const link of links) if (link.page === page && pages.includes(link.file)) reached.add(link.file);
    // Templates are shown by the forge, where they are needed.
    const isTemplate = (page: string) => page.startsWith('.github/');
    expect(pages.filter((page) => !reached.has(page) && !isTemplate(page))).toEqual([]);
  });

  it('mention no build machine, package registry or private notes', () => {
    const said = pages.filter((page) =>
      /\/tmp\/wt|\/work\/|\.\.\/shared|\bTODO\b|\bFIXME\b/.test(textOf(page)),
    );
    expect(said).toEqual([]);
  });
});

describe('the checker itself', () => {
  it('finds links, and none in code', () => {
    const page =
      'see [a](a.md#b) and ![p](p.png)\n```\n[no](no.md)\n```\nand `[no](no.md)`; <img src="q.svg">';
    expect(linksIn(page)).toEqual(['a.md#b', 'p.png', 'q.svg']);
  });

  it.each([
    ['# What `it` costs, in figures', 'what-it-costs-in-figures'],
    ['## agent, agent doctor', 'agent-agent-doctor'],
    ['### [linked](x.md) title', 'linked-title'],
  ])('knows the anchor of %s', (heading, anchor) => {
    expect([...anchorsIn(heading)]).toEqual([anchor]);
  });

  it('numbers headings with the same text', () => {
    expect([...anchorsIn('# A\n# A\n```\n# not this\n```')]).toEqual(['a', 'a-1']);
  });
});
