// The games the server offers, in its order. Asked for when the page is opened; everything else about a game comes with its data.
import { variants, type Variant } from "../api/http";
import type { VariantOut } from "../api/messages";
import { THEMES } from "../art/colours";

class Games {
  all = $state.raw<readonly VariantOut[]>([]);

  async load() {
    if (!this.all.length) this.all = await variants();
  }

  /** A game by its name; one that is not known (yet) goes by its name alone. */
  of(name: Variant): VariantOut {
    return this.all.find((game) => game.name === name) ?? { name, title: name, theme: THEMES[0] };
  }
}

export const games = new Games();
