"""The page's socket, which can be pulled out."""

from playwright.sync_api import Page, WebSocketRoute


class Cable:
    """Every socket of a page goes through here."""

    def __init__(self, page: Page) -> None:
        self.routes: list[WebSocketRoute] = []
        page.route_web_socket("**/socket**", self.connect)

    def connect(self, route: WebSocketRoute) -> None:
        route.connect_to_server()
        self.routes.append(route)

    def cut(self) -> None:
        self.routes[-1].close(code=1011, reason="cut")
