/** Media types of the files that a build of the page can contain, by extension. */

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  html: 'text/html; charset=utf-8',
  ico: 'image/vnd.microsoft.icon',
  js: 'text/javascript; charset=utf-8',
  json: 'application/json',
  map: 'application/json',
  png: 'image/png',
  svg: 'image/svg+xml',
  txt: 'text/plain; charset=utf-8',
  wasm: 'application/wasm',
  webmanifest: 'application/manifest+json',
  woff2: 'font/woff2',
};

/** An unknown file is served as bytes, so that a browser never treats it as a script or a page. */
const UNKNOWN = 'application/octet-stream';

const COMPRESSIBLE = /^(text\/|image\/svg\+xml|application\/(json|manifest\+json|wasm))/;

export function mediaTypeOf(path: string): string {
  const [, extension = ''] = /\.([a-z0-9]+)$/i.exec(path) ?? [];
  return MEDIA_TYPES[extension.toLowerCase()] ?? UNKNOWN;
}

export function isCompressible(mediaType: string): boolean {
  return COMPRESSIBLE.test(mediaType);
}
