/** The links of a Markdown page, and its anchors. */

/** Text that is not prose: links in code do not count. */
const CODE = /^```[\s\S]*?^```$|`[^`\n]*`/gm;

/** Targets of links and pictures, as written. */
export function linksIn(markdown: string): string[] {
  const prose = markdown.replace(CODE, '');
  return [...prose.matchAll(/\]\(([^()\s]+)\)/g), ...prose.matchAll(/\b(?:href|src)="([^"]+)"/g)].map(
    ([, target = '']) => target,
  );
}

/** The anchors that GitHub makes of a page's headings; of several with the same text, the later ones are numbered. */
export function anchorsIn(markdown: string): Set<string> {
  const anchors = new Set<string>();
  const seen = new Map<string, number>();
  for (const [, title = ''] of markdown
    .replace(/^```[\s\S]*?^```$/gm, '')
    .matchAll(/^#{1,6} +(.+?) *#*$/gm)) {
    const slug = slugOf(title);
    const count = seen.get(slug) ?? 0;
    seen.set(slug, count + 1);
    anchors.add(count === 0 ? slug : `${slug}-${count}`);
  }
  return anchors;
}

function slugOf(title: string): string {
  return title
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/ /g, '-');
}
