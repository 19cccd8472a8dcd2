import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { GzippedFiles } from '../../../worker/static-files/gzipped-files.ts';

describe('compressed files', () => {
  it('[SEC21] are compressed once, however many request them at the same time', async () => {
    let reads = 0;
    const files = new GzippedFiles();
    const read = async () => {
      reads++;
      return new Response('the page') as never;
    };
    const answers = await Promise.all(Array.from({ length: 5 }, () => files.of('/index.js 1', read)));
    expect(answers.map((bytes) => gunzipSync(bytes ?? new ArrayBuffer(0)).toString())).toEqual(
      Array(5).fill('the page'),
    );
    expect(reads).toBe(1);
    await files.of('/index.js 2', read);
    expect(reads).toBe(2);
  });

  it('are looked up again if there was none', async () => {
    const files = new GzippedFiles();
    const missing = async () => new Response(null, { status: 404 }) as never;
    expect(await files.of('/index.js 1', missing)).toBeNull();
    expect(await files.of('/index.js 1', async () => new Response('here') as never)).not.toBeNull();
  });
});
