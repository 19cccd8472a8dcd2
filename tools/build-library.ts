/**
 * Builds what other programs import from the package: `holdfast/client`, `holdfast/node` and `holdfast/react` with its
 * style sheet, each as one file, with their types. React is not bundled, because a page must have only one.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build as viteBuild } from 'vite';
import { productVersion } from '../node/product-version.ts';
import { PROJECT } from '../node/project.ts';

const root = fileURLToPath(PROJECT);

export const LIBRARY_EXPORTS = {
  './client': { types: './library/types/cli/library/client.d.ts', default: './library/client.js' },
  './node': { types: './library/types/cli/library/node.d.ts', default: './library/node.js' },
  './react': { types: './library/types/web/ui/index.d.ts', default: './library/react.js' },
  './react.css': './library/react.css',
  './package.json': './package.json',
} as const;

export async function buildLibrary(outDir: string): Promise<void> {
  await buildFor('browser', { client: `${root}cli/library/client.ts` }, outDir);
  await buildFor('browser', { react: `${root}web/ui/index.ts` }, outDir);
  await buildFor('node', { node: `${root}cli/library/node.ts` }, outDir);
  writeTypes(join(outDir, 'types'));
}

async function buildFor(platform: 'browser' | 'node', input: Record<string, string>, outDir: string) {
  const [name = ''] = Object.keys(input);
  await viteBuild({
    configFile: false,
    root,
    base: './',
    logLevel: 'warn',
    publicDir: false,
    define: { __VERSION__: JSON.stringify(await productVersion()), 'process.env.NODE_ENV': '"production"' },
    ...(platform === 'node' ? { ssr: { target: 'node' as const, noExternal: true as const } } : {}),
    build: {
      ...(platform === 'node'
        ? { ssr: true }
        : { lib: { entry: input, formats: ['es'], cssFileName: name } }),
      outDir,
      emptyOutDir: false,
      target: platform === 'node' ? 'node20' : 'es2022',
      minify: false,
      rolldownOptions: {
        ...(platform === 'node' ? { input } : {}),
        external: [/^node:/, /^react(-dom)?(\/|$)/, 'bufferutil', 'utf-8-validate'],
        output: { entryFileNames: '[name].js', chunkFileNames: '[name].js', codeSplitting: false },
      },
    },
  });
}

/**
 * The compiler's declarations, with imports that Node and every bundler can resolve. The types of our messages derive
 * from valibot's, so those are included and nobody has to install valibot for them.
 */
function writeTypes(to: string): void {
  execFileSync(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-b', 'cli', 'web/ui'], {
    cwd: root,
  });
  const from = join(root, 'dist/types');
  const folders = ['protocol', 'client', 'node', 'web', 'cli'];
  const files = folders.flatMap((folder) =>
    readdirSync(join(from, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.d.ts'))
      .map((name) => join(folder, name)),
  );
  for (const file of files) {
    const target = join(to, file);
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, resolvable(readFileSync(join(from, file), 'utf8'), relative(dirname(target), to)));
  }
  cpSync(join(root, 'node_modules/valibot/dist/index.d.mts'), join(to, 'valibot/index.d.ts'));
  cpSync(join(root, 'node_modules/valibot/LICENSE.md'), join(to, 'valibot/LICENSE.md'));
}

function resolvable(declarations: string, top: string): string {
  return declarations
    .replace(/(['"]\.{1,2}\/[^'"]+)\.tsx?(['"])/g, '$1.js$2')
    .replace(/(['"])valibot(['"])/g, `$1${top}/valibot/index.js$2`);
}
