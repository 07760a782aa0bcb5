import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['__test__/**/*.test.ts', 'src/**/*.test.ts'],
    setupFiles: ['__test__/fail-on-console.ts'],
    // The addon is loaded by Node itself; everything else of ours is compiled on the fly.
    server: { deps: { external: [/native\/binding\.cjs$/] } },
    // Only what hangs takes so long, however busy the machine is.
    testTimeout: 180_000,
    hookTimeout: 180_000,
  },
});
