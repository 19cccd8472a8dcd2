/** Which test files a search runs: those with random choices, according to their imports. */
import { readdirSync, readFileSync } from 'node:fs';

/** Random choices of tests go through this file; test/repository/seeds.test.ts checks that. */
const DOORWAY = /from '(?:\.\.?\/)+(?:support\/)?property\.ts'/;

export interface TestFile {
  readonly path: string;
  readonly source: string;
}

/** Every TypeScript file under a folder, by its path there. */
export function filesUnder(root: string, folder: string): TestFile[] {
  return readdirSync(`${root}/${folder}`, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => `${folder}/${name}`)
    .sort()
    .map((path) => ({ path, source: readFileSync(`${root}/${path}`, 'utf8') }));
}

export function searchedFiles(files: readonly TestFile[], filters: readonly string[] = []): string[] {
  return files
    .filter(({ path, source }) => path.endsWith('.test.ts') && DOORWAY.test(source))
    .map(({ path }) => path)
    .filter((path) => filters.length === 0 || filters.some((filter) => path.includes(filter)));
}
