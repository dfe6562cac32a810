// Stepping through games, searching skills, clicking through the lineage. All numbers stand in the page without it.
"use strict";
(() => {
  const all = (at, what) => Array.from(at.querySelectorAll(what));

  // Games: one turn at a time. The arrow keys do what the buttons do.
  for (const episode of all(document, ".episode")) {
    const turns = all(episode, ".turn");
    const stepper = episode.querySelector(".stepper");
    if (turns.length < 2) continue;
    const buttons = {};
    for (const b of all(stepper, "button")) buttons[b.dataset.go] = b;
    let at = 0;
    let whole = false;
    const show = () => {
      turns.forEach((turn, i) => { turn.hidden = !whole && i !== at; });
      turns[0].parentElement.style.counterReset = "turn " + (whole ? 0 : at);
      buttons.first.disabled = buttons.back.disabled = whole || at === 0;
      buttons.on.disabled = buttons.last.disabled = whole || at === turns.length - 1;
      buttons.all.setAttribute("aria-pressed", String(whole));
      stepper.querySelector("[role=status]").textContent = whole ? `all ${turns.length} turns` : `turn ${at + 1} of ${turns.length}`;
    };
    const go = (where) => {
      if (where === "all") whole = !whole;
      else if (whole) return;
      else if (where === "first") at = 0;
      else if (where === "back") at = Math.max(0, at - 1);
      else if (where === "on") at = Math.min(turns.length - 1, at + 1);
      else if (where === "last") at = turns.length - 1;
      show();
    };
    for (const [where, b] of Object.entries(buttons)) {
      b.addEventListener("click", () => {
        go(where);
        if (b.disabled) (where === "on" || where === "last" ? buttons.back : buttons.on).focus(); // a disabled button loses the keyboard
      });
    }
    stepper.addEventListener("keydown", (event) => {
      const where = { ArrowLeft: "back", ArrowRight: "on", Home: "first", End: "last" }[event.key];
      if (!where || event.altKey || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      go(where);
      if (document.activeElement.disabled || document.activeElement === document.body) (at === 0 ? buttons.on : buttons.back).focus();
    });
    stepper.hidden = false;
    show();
  }

  // Skills: those that have every word.
  for (const library of all(document, ".library")) {
    const skills = all(library, ".skill").map((skill) => ({ skill, text: skill.textContent.toLowerCase() }));
    const search = library.querySelector(".search");
    if (!skills.length) continue;
    const input = search.querySelector("input");
    const status = search.querySelector("[role=status]");
    input.addEventListener("input", () => {
      const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
      let found = 0;
      for (const one of skills) {
        one.skill.hidden = !words.every((word) => one.text.includes(word));
        if (!one.skill.hidden) found++;
      }
      status.textContent = words.length ? `${found} of ${skills.length}` : "";
    });
    search.hidden = false;
  }

  // Lineage: one artifact at a time. Links within the page open what they lead to.
  const open = () => {
    const id = decodeURIComponent(location.hash.slice(1));
    const target = id && document.getElementById(id);
    if (!target) return;
    for (let up = target; up; up = up.parentElement) {
      if (up.tagName === "DETAILS") up.open = true;
      if (up.hidden) up.hidden = false;
    }
    if (target.classList.contains("entry")) {
      for (const other of all(target.parentElement, ".entry")) other.hidden = other !== target;
      target.focus({ preventScroll: true });
    }
    target.scrollIntoView({ block: target.classList.contains("entry") ? "nearest" : "start" });
  };
  for (const entries of all(document, ".entries")) {
    all(entries, ".entry").forEach((entry, i) => { entry.hidden = i > 0; });
  }
  window.addEventListener("hashchange", open);
  open();
})();
