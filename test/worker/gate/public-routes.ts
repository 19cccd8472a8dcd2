/** The routes that need no credential, in the order of the alphabet. */
export const PUBLIC_ROUTES = [
  'GET /',
  'GET /.well-known/security.txt',
  'GET /api/openapi.json',
  'GET /api/owner/login/challenge',
  'GET /api/workspaces/:ws/login/challenge',
  'GET /assets/*',
  'GET /health',
  'GET /robots.txt',
  'GET /status',
  'GET /status/:ws',
  'GET /w/:ws',
  'GET /w/:ws/manifest.webmanifest',
  'GET /w/:ws/service-worker.js',
];
