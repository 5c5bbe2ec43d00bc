// Airflow shows the page in a frame whose links cannot leave it. The page works without this script: a link to Airflow
// then opens inside the frame. It also takes Airflow's light or dark colours over.
if (window.parent !== window) {
  try {
    const outer = window.parent.document;
    const root = outer.documentElement;
    const follow = () => {
      document.documentElement.dataset.theme = root.classList.contains("dark") ? "dark" : "light";
    };
    follow();
    new MutationObserver(follow).observe(root, { attributes: true, attributeFilter: ["class"] });
    document.addEventListener("click", (event) => {
      const link = event.target.closest("a[data-airflow]");
      if (!link || event.button || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
      event.preventDefault();
      const same = outer.createElement("a");
      same.href = link.href;
      same.click();
    });
  } catch {
    // Another site's frame: nothing to follow.
  }
}
