/** What can be computed about the appearance: every theme is complete and readable, and the page is small. */
import { readdirSync, readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { THEMES } from '../../../../web/ui/settings/settings.ts';

const TOKENS = readFileSync(new URL('../../../../web/ui/tokens.css', import.meta.url), 'utf8');

/** The colours of a theme: those of the first block, overridden by its own. */
function tokensOf(theme: string): Record<string, string> {
  const blocks = [...TOKENS.matchAll(/\.holdfast(?:\[data-theme="(\w+)"\])? \{([^}]*)\}/g)];
  const wanted = blocks.filter(([, name], index) => name === theme || (index === 0 && name === undefined));
  return Object.fromEntries(
    wanted.flatMap(([, , body = '']) =>
      [...body.matchAll(/--([\w-]+): (#[0-9a-f]{6});/g)].map(([, name = '', value = '']) => [name, value]),
    ),
  );
}

/** As WCAG 2 computes it. */
function contrast(a: string, b: string): number {
  const [light = 0, dark = 0] = [luminance(a), luminance(b)].sort((x, y) => y - x);
  return (light + 0.05) / (dark + 0.05);
}

function luminance(colour: string): number {
  const [r = 0, g = 0, b = 0] = [1, 3, 5]
    .map((at) => Number.parseInt(colour.slice(at, at + 2), 16) / 255)
    .map((part) => (part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

const SURFACES = ['background', 'surface', 'surface-raised'];
const TEXTS = ['text', 'text-muted', 'accent', 'good', 'busy', 'bad'];
const ANSI = ['red', 'green', 'yellow', 'blue', 'magenta', 'cyan'];

describe.each(Object.keys(THEMES).filter((theme) => theme !== 'system'))('the theme %s', (theme) => {
  const tokens = tokensOf(theme);
  const least = theme === 'contrast' ? 7 : 4.5;
  const pairs = [
    ...SURFACES.flatMap((surface) => TEXTS.map((text) => [text, surface] as const)),
    ...ANSI.flatMap((colour) => [
      [`ansi-${colour}`, 'terminal-background'] as const,
      [`ansi-bright-${colour}`, 'terminal-background'] as const,
    ]),
    ['terminal-foreground', 'terminal-background'] as const,
    ['terminal-foreground', 'terminal-selection'] as const,
    ['terminal-foreground', 'find-match'] as const,
    ['on-accent', 'accent'] as const,
  ];

  it('has readable text on every background it is used on', () => {
    const weak = pairs
      .map(([text, surface]) => ({
        text,
        surface,
        ratio: contrast(tokens[text] ?? '', tokens[surface] ?? ''),
      }))
      .filter(({ ratio, text }) => !(ratio >= (text.startsWith('terminal') ? 4.5 : least)));
    expect(weak).toEqual([]);
  });
});

describe('the terminal', () => {
  it('[U6] raises the colours of programs to a contrast of at least 4.5, in every theme', () => {
    const ratios = [...TOKENS.matchAll(/--terminal-contrast: ([\d.]+);/g)].map(([, ratio]) => Number(ratio));
    expect(ratios).toEqual([4.5, 7]);
  });
});

describe('the built page', () => {
  const assets = new URL('../../../../dist/web/assets/', import.meta.url);
  const html = readFileSync(new URL('../../../../dist/web/index.html', import.meta.url), 'utf8');

  it('needs at most 250 KB of compressed script to start', () => {
    const scripts = [...html.matchAll(/assets\/([\w.-]+\.js)/g)].map(([, file = '']) => file);
    const bytes = scripts.reduce(
      (sum, file) => sum + gzipSync(readFileSync(new URL(file, assets))).length,
      0,
    );
    expect(scripts.length).toBeGreaterThan(0);
    expect(bytes).toBeLessThan(250_000);
  });

  it('loads rarely used code only when it is used', () => {
    const later = readdirSync(assets).filter((file) => file.endsWith('.js') && !html.includes(file));
    for (const part of ['addon-webgl', 'addon-search', 'sessions-panel', 'settings-panel'])
      expect(
        later.some((file) => file.startsWith(part)),
        part,
      ).toBe(true);
  });

  it('has no inline script or style', () => {
    expect(html).not.toMatch(/<style|<script(?![^>]* src=)| on\w+=/i);
  });
});
