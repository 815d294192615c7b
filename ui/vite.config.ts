// SPDX-License-Identifier: MIT OR Apache-2.0
import { svelte } from '@sveltejs/vite-plugin-svelte'
import { defineConfig } from 'vite'

// `GNOMON_WATCH` names a running watch, for `npm run dev`.
const watch = process.env.GNOMON_WATCH ?? 'http://127.0.0.1:8080'

export default defineConfig({
  plugins: [svelte()],
  // Relative, so that the dashboard also works behind a path of a larger site.
  base: './',
  build: {
    // What is inlined becomes a `data:` address, which the content security policy refuses.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: 'es2022',
    // The chart library is one lazy piece of about this size.
    chunkSizeWarningLimit: 700,
  },
  server: { proxy: { '/api': watch } },
})
