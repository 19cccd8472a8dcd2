/**
 * Writes the icons of the installed page into web/public/assets, from web/ui/icon.svg. Run it after a change of that
 * picture, and give the files other names: browsers keep them for a year.
 *
 *     npx node test/write-icons.ts
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { PROJECT } from '../node/project.ts';
import { launchChromium } from './support/chromium.ts';

const svg = readFileSync(new URL('web/ui/icon.svg', PROJECT), 'utf8');
/** Systems cut a maskable icon to a shape of theirs, so it has no corners and its content is in the middle. */
const maskable = svg
  .replace('rx="7"', 'x="-8" y="-8"')
  .replaceAll('width="32" height="32"', 'width="48" height="48"')
  .replace('viewBox="0 0 32 32"', 'viewBox="-4 -4 40 40"');

const ICONS = [
  { name: 'icon-1-192', size: 192, picture: svg },
  { name: 'icon-1-512', size: 512, picture: svg },
  { name: 'icon-1-maskable', size: 512, picture: maskable },
];

const browser = await launchChromium();
try {
  for (const { name, size, picture } of ICONS) {
    const page = await browser.newPage({ viewport: { width: size, height: size } });
    const style = '<style>body{margin:0}svg{display:block;width:100vw;height:100vh}</style>';
    await page.setContent(style + picture);
    const file = new URL(`web/public/assets/${name}.png`, PROJECT);
    writeFileSync(file, await page.screenshot({ omitBackground: true }));
    await page.close();
  }
} finally {
  await browser.close();
}
