// A browser may refuse to store anything, even to be asked; a library would then stop the page. Instead all lasts as long as the page.
try {
  localStorage.setItem("cabochon.probe", "");
  localStorage.removeItem("cabochon.probe");
} catch {
  const kept = new Map<string, string>();
  const value = {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, text: string) => void kept.set(key, text),
    removeItem: (key: string) => void kept.delete(key),
  };
  Object.defineProperty(window, "localStorage", { value, configurable: true });
}
export {};
