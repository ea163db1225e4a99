import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { constants, gzipSync } from 'node:zlib';
import { defineConfig } from 'vite';

const out = fileURLToPath(new URL('../dist/playground', import.meta.url));

// Below this, what compression saves is not worth a second form of the file.
const smallest = 2048;

/** Replaces every large text file of the output by its gzip form: the binary carries only that. */
function gzipOnly() {
  return {
    name: 'gzip-only',
    apply: 'build',
    closeBundle() {
      for (const entry of readdirSync(out, { recursive: true, withFileTypes: true })) {
        const path = join(entry.parentPath, entry.name);
        if (!entry.isFile() || !/\.(js|css|svg|md)$/.test(path) || statSync(path).size < smallest) continue;
        writeFileSync(`${path}.gz`, gzipSync(readFileSync(path), { level: constants.Z_BEST_COMPRESSION }));
        rmSync(path);
      }
    },
  };
}

export default defineConfig({
  base: '/playground/',
  // The JSX transform of the bundler; no plug-in, since nothing here needs hot reloading.
  oxc: { jsx: { runtime: 'automatic' } },
  build: {
    outDir: out,
    emptyOutDir: true,
    target: 'es2022',
    // Fonts and icons stay files of their own: they are cached apart and need no data: URL.
    assetsInlineLimit: 0,
    // The editor is one large chunk by nature.
    chunkSizeWarningLimit: 6000,
    modulePreload: { polyfill: false },
    // What the bundle contains is other people's work: their licences travel with it.
    license: { fileName: 'licenses.md' },
    rolldownOptions: {
      onLog(level, log, report) {
        // "use client" marks server-rendered trees, which this page is not.
        if (log.code !== 'MODULE_LEVEL_DIRECTIVE') report(level, log);
      },
    },
  },
  plugins: [gzipOnly()],
});
