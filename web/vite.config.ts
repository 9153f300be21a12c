// vite.config.ts: builds a page as one HTML file: script and styles inlined, nothing to load. The report's is index.html; with
// --mode playground it is playground.html, which needs src/playground/playground.wasm.
import { defineConfig, type Plugin } from 'vite';

function inlineAll(name: string): Plugin {
  return {
    name: 'inline-all',
    enforce: 'post',
    generateBundle(_options, bundle) {
      const page = bundle[name];
      if (page?.type !== 'asset') throw new Error(`there is no ${name}`);
      let html = String(page.source);
      for (const [file, part] of Object.entries(bundle)) {
        if (part.type === 'chunk') {
          // no text of the program may end its element
          const code = part.code.replace(/<\/script/gi, '<\\/script').replace(/<!--/g, '<\\!--');
          html = html.replace(new RegExp(`<script[^>]*src="[^"]*${part.fileName}"[^>]*></script>`), '');
          // at the end of the body, so that the data are there when it runs
          html = html.replace('</body>', () => `<script>${code.trim()}</script>\n</body>`);
        } else if (file.endsWith('.css')) {
          html = html.replace(new RegExp(`<link[^>]*href="[^"]*${file}"[^>]*>`), () => `<style>${String(part.source).trim()}</style>`);
        } else continue;
        delete bundle[file];
      }
      if (/(src|href)="(?!#|data:)/.test(html.replace(/<script>[\s\S]*<\/script>/, ''))) throw new Error('the page would load a file');
      page.source = html;
    },
  };
}

export default defineConfig(({ mode }) => {
  const page = mode === 'playground' ? 'playground.html' : 'index.html';
  return {
    base: './',
    assetsInclude: ['**/*.wasm'],
    build: {
      target: 'es2020',
      modulePreload: false,
      cssCodeSplit: false,
      assetsInlineLimit: Infinity,
      rollupOptions: { input: page, output: { format: 'iife', entryFileNames: 'page.js', assetFileNames: 'page[extname]' } },
    },
    worker: { format: 'iife' },
    plugins: [inlineAll(page)],
  };
});
