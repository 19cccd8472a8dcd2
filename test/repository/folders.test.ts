/** The folder list is the architecture: the tables in the READMEs match the imports. */
import { dirname } from 'node:path/posix';
import { describe, expect, it } from 'vitest';
import { cyclesIn, documentedFolders, fileGraph, folderGraph } from './folders.ts';

const FILES_MAX = 25;
const files = fileGraph();
const folders = folderGraph(files);
const sorted = (graph: ReadonlyMap<string, ReadonlySet<string>>) =>
  Object.fromEntries(
    [...graph]
      .toSorted(([a], [b]) => a.localeCompare(b))
      .map(([folder, others]) => [folder, [...others].sort()]),
  );

describe('folders', () => {
  it('have no import cycle', () => {
    expect(cyclesIn(folders)).toEqual([]);
  });

  it('contain files without an import cycle', () => {
    expect(cyclesIn(files)).toEqual([]);
  });

  it(`contain at most ${FILES_MAX} files each`, () => {
    const counts = Map.groupBy(files.keys(), dirname);
    const crowded = [...counts].filter(([, inside]) => inside.length > FILES_MAX);
    expect(crowded.map(([folder, { length }]) => `${folder}: ${length}`)).toEqual([]);
  });

  it('import what the README of their top folder says, and nothing else', () => {
    expect(sorted(documentedFolders())).toEqual(sorted(folders));
  });
});

describe('the search for cycles', () => {
  const graph = (edges: Record<string, string[]>) =>
    new Map(Object.entries(edges).map(([from, to]) => [from, new Set(to)]));

  it('finds a cycle of two, and one of three behind it', () => {
    expect(cyclesIn(graph({ a: ['b'], b: ['a', 'c'], c: ['d'], d: ['e'], e: ['c'] }))).toEqual([
      'a → b → a',
      'c → d → e → c',
    ]);
  });

  it('finds none if paths only join again', () => {
    expect(cyclesIn(graph({ a: ['b', 'c'], b: ['d'], c: ['d'], d: [] }))).toEqual([]);
  });
});
